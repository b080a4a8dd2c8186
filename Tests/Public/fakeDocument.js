/** The part of a document that lists and keys need: a tree of elements, the focus, and events from the window down and up again. */

/** @typedef {{ type: string, target: any, stopped: boolean, defaultPrevented: boolean } & Record<string, any>} FakeEvent */

class Target {
  /** @type {{ type: string, listener: (event: any) => void, isCapturing: boolean }[]} */
  #listeners = [];

  /** @param {string} type @param {(event: any) => void} listener @param {{ capture?: boolean, signal?: AbortSignal }} [options] */
  addEventListener(type, listener, { capture = false, signal } = {}) {
    const one = { type, listener, isCapturing: capture };
    this.#listeners.push(one);
    signal?.addEventListener('abort', () => this.#listeners.splice(this.#listeners.indexOf(one), 1));
  }

  /** @param {FakeEvent} event @param {boolean} isCapturing */
  hear(event, isCapturing) {
    for (const one of [...this.#listeners]) {
      if (one.type === event.type && one.isCapturing === isCapturing) one.listener(event);
    }
  }
}

export class FakeElement extends Target {
  /** @type {FakeElement | null} */
  parent = null;
  /** @type {FakeElement[]} */
  children = [];
  /** @type {Map<string, string>} */
  attributes = new Map();
  /** @type {Record<string, string>} */
  dataset = {};
  style = { setProperty: () => {} };
  hidden = false;
  open = false;
  returnValue = '';
  tabIndex = -1;
  value = '';
  scrollTop = 0;
  #text = '';
  #document;

  /** @param {FakeDocument} document @param {string} tag */
  constructor(document, tag) {
    super();
    this.#document = document;
    this.tag = tag;
  }

  get id() {
    return this.attributes.get('id') ?? '';
  }

  /** @returns {string} */
  get textContent() {
    return this.#text + this.children.map((one) => one.textContent).join('');
  }

  set textContent(text) {
    this.#text = text;
    for (const child of [...this.children]) child.remove();
  }

  /** @param {string} name @param {string} value */
  setAttribute(name, value) {
    this.attributes.set(name, value);
  }

  /** @param {string} name */
  getAttribute(name) {
    return this.attributes.get(name) ?? null;
  }

  /** @param {string} name */
  removeAttribute(name) {
    this.attributes.delete(name);
  }

  /** @param {string} name @param {boolean} isOn */
  toggleAttribute(name, isOn) {
    if (isOn) this.attributes.set(name, '');
    else this.attributes.delete(name);
  }

  /** @param {...(FakeElement | string)} nodes */
  append(...nodes) {
    this.#insert(this.children.length, nodes);
  }

  /** @param {...(FakeElement | string)} nodes */
  replaceChildren(...nodes) {
    this.textContent = '';
    this.append(...nodes);
  }

  /** @param {...FakeElement} nodes */
  before(...nodes) {
    this.parent?.insertAt(this, 0, nodes);
  }

  /** @param {...FakeElement} nodes */
  after(...nodes) {
    this.parent?.insertAt(this, 1, nodes);
  }

  remove() {
    if (!this.parent) return;
    if (this.#document.activeElement && this.contains(this.#document.activeElement)) {
      this.#document.activeElement = this.#document.body;
    }
    this.parent.children.splice(this.parent.children.indexOf(this), 1);
    this.parent = null;
  }

  /** @param {FakeElement} child @param {0 | 1} offset @param {FakeElement[]} nodes */
  insertAt(child, offset, nodes) {
    for (const node of nodes) node.remove();
    this.#insert(this.children.indexOf(child) + offset, nodes);
  }

  /** @param {number} at @param {(FakeElement | string)[]} nodes */
  #insert(at, nodes) {
    for (const node of nodes) {
      if (typeof node === 'string') {
        this.#text += node;
        continue;
      }
      node.remove();
      node.parent = this;
      this.children.splice(at, 0, node);
      at += 1;
    }
  }

  /** @param {FakeElement} other */
  contains(other) {
    for (let one = /** @type {FakeElement | null} */ (other); one; one = one.parent) if (one === this) return true;
    return false;
  }

  /** Supports only selectors of one attribute. @param {string} selector */
  closest(selector) {
    return this.attributes.has(selector.slice(1, -1)) ? this : null;
  }

  matches() {
    return ['input', 'textarea'].includes(this.tag);
  }

  focus() {
    const before = this.#document.activeElement;
    if (before === this) return;
    this.#document.activeElement = this;
    if (before) this.#document.dispatch(before, 'blur');
    this.#document.dispatch(this, 'focusin');
  }

  click() {
    this.focus();
    this.#document.dispatch(this, 'click');
  }

  showModal() {
    this.open = true;
  }

  /** @param {string} value */
  close(value) {
    this.open = false;
    this.returnValue = value;
    this.#document.dispatch(this, 'close');
  }

  /** Texts cannot be measured. */
  getContext() {
    return null;
  }

  getBoundingClientRect() {
    return { left: 0, top: 0, width: 0, height: 0 };
  }
}

export class FakeDocument {
  window = new Target();
  documentElement = new FakeElement(this, 'html');
  body = new FakeElement(this, 'body');
  /** @type {FakeElement | null} */
  activeElement = this.body;

  /** @param {...string} ids of elements that the page has */
  constructor(...ids) {
    this.documentElement.append(this.body);
    for (const id of ids) {
      const element = this.createElement('div');
      element.setAttribute('id', id);
      this.body.append(element);
    }
    Object.assign(globalThis, {
      document: this,
      HTMLElement: FakeElement,
      Element: FakeElement,
      addEventListener: this.window.addEventListener.bind(this.window),
    });
  }

  /** @param {string} tag */
  createElement(tag) {
    return new FakeElement(this, tag);
  }

  /** @param {string} _namespace @param {string} tag */
  createElementNS(_namespace, tag) {
    return this.createElement(tag);
  }

  /** @param {string} id */
  getElementById(id) {
    return this.#all.find((one) => one.id === id) ?? null;
  }

  /** Supports only the selector of open dialogs. @param {string} selector */
  querySelector(selector) {
    return selector === 'dialog[open]' ? this.#all.find(({ open }) => open) ?? null : null;
  }

  get #all() {
    /** @type {FakeElement[]} */
    const all = [];
    const add = (/** @type {FakeElement} */ one) => {
      all.push(one);
      one.children.forEach(add);
    };
    add(this.documentElement);
    return all;
  }

  /**
   * @param {FakeElement} target @param {string} type @param {object} [properties] of the event
   * @returns {FakeEvent} after its dispatch
   */
  dispatch(target, type, properties = {}) {
    /** @type {FakeEvent} */
    const event = {
      type,
      target,
      stopped: false,
      defaultPrevented: false,
      preventDefault: () => event.defaultPrevented = true,
      stopPropagation: () => event.stopped = true,
      ...properties,
    };
    /** @type {Target[]} */
    const path = [this.window];
    for (let one = /** @type {FakeElement | null} */ (target); one; one = one.parent) path.splice(1, 0, one);
    for (const one of path) if (!event.stopped) one.hear(event, true);
    const up = type === 'blur' || type === 'close' ? [target] : path.reverse();
    for (const one of up) if (!event.stopped) one.hear(event, false);
    return event;
  }

  /** Presses a key at the element that has the focus, and releases it. @param {string} key @param {object} [properties] */
  press(key, properties = {}) {
    const event = this.keyDown(key, properties);
    this.dispatch(this.activeElement ?? this.body, 'keyup', { key, ...properties });
    return event;
  }

  /** @param {string} key @param {object} [properties] */
  keyDown(key, properties = {}) {
    const none = { repeat: false, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };
    return this.dispatch(this.activeElement ?? this.body, 'keydown', { key, ...none, ...properties });
  }
}
