/** The settings that this browser stores, and those of the menu: theme, and drawing with fingers. */

import { FONTS } from '../model/fonts.js';
import { isRGB, personalColor } from '../model/palette.js';
import { strings } from '../i18n/i18n.js';
import { toast } from './dialogs.js';
import { element } from './elements.js';
import { icon } from './icons.js';
import { radioButton, RadioGroup } from './radioGroup.js';

const NAME = 'drawtogether:name';
const OWN_COLOR = 'drawtogether:color';
const INK = 'drawtogether:ink';
const WIDTH = 'drawtogether:width';
const FONT = 'drawtogether:font';
/** `early.js` reads these before other modules are loaded. */
const LANGUAGE = 'drawtogether:language';
const THEME = 'drawtogether:theme';
const FINGERS = 'drawtogether:fingers';

/** The widths in points: fine, middle and broad. */
export const WIDTHS = Object.freeze([3, 6, 14]);
/** The widths of the highlighter and the sizes of text that correspond to these widths. */
export const HIGHLIGHTER_WIDTHS = Object.freeze([14, 22, 34]);
export const TEXT_SIZES = Object.freeze([18, 26, 44]);

/** @param {() => number} [random] @returns {string} a name for a person who has not given one */
export function randomName(random = Math.random) {
  const pick = (/** @type {string[]} */ names) => names[Math.floor(random() * names.length)];
  return `${pick(strings.firstNames)} ${pick(strings.secondNames)}`;
}

/** @param {string} name @returns {string} a name that the gateway accepts: one line, at most 64 characters; may be empty */
export function cleanName(name) {
  const clean = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim();
  return [...clean].slice(0, 64).join('').trim();
}

/** The settings that this browser stores. If it refuses, they last until the page is closed. */
export class Settings {
  #storage;
  /** @type {string} */
  name;
  /** @type {string} the person's own color. In a session, the gateway may give the person another one. */
  color;
  /** @type {number} */
  width;
  /** The font of new texts. @type {import('../model/fonts.js').Font} */
  font;

  /** @param {KeyValueStorage} storage @param {() => number} [random] */
  constructor(storage, random = Math.random) {
    this.#storage = storage;
    this.name = cleanName(this.#read(NAME) ?? '') || randomName(random);
    const color = this.#read(OWN_COLOR);
    this.color = isRGB(color) ? color : personalColor(random);
    const width = Number(this.#read(WIDTH));
    this.width = WIDTHS.includes(width) ? width : WIDTHS[1];
    const font = this.#read(FONT);
    this.font = FONTS.find((one) => one === font) ?? FONTS[0];
    this.#write(OWN_COLOR, this.color);
    this.#write(NAME, this.name);
  }

  /** @param {string} name @returns {boolean} false if the name is empty */
  rename(name) {
    const clean = cleanName(name);
    if (!clean) return false;
    this.name = clean;
    this.#write(NAME, clean);
    return true;
  }

  /**
   * Reads a name or color that another tab has changed.
   * @param {string | null} key the changed key @returns {boolean} true if the name or the color was changed
   */
  renamed(key) {
    const name = key === NAME ? cleanName(this.#read(NAME) ?? '') : '';
    const color = key === OWN_COLOR ? this.#read(OWN_COLOR) : null;
    if (name) this.name = name;
    if (isRGB(color)) this.color = color;
    return name !== '' || isRGB(color);
  }

  /** @param {string} color `#rrggbb` */
  setColor(color) {
    this.color = color;
    this.#write(OWN_COLOR, color);
  }

  /** The color that was chosen last; '': the person's own. */
  get ink() {
    return this.#read(INK) ?? '';
  }

  /** @param {string} rgb '': the person's own color */
  setInk(rgb) {
    this.#write(INK, rgb);
  }

  /** @param {number} width one of `WIDTHS` */
  setWidth(width) {
    this.width = width;
    this.#write(WIDTH, String(width));
  }

  /** @param {import('../model/fonts.js').Font} font */
  setFont(font) {
    this.font = font;
    this.#write(FONT, font);
  }

  /** The chosen language; '': the browser's. */
  get language() {
    return this.#read(LANGUAGE) ?? '';
  }

  /** Sets the language, from the next load of a page on. @param {string} language such as `de` */
  setLanguage(language) {
    this.#write(LANGUAGE, language);
  }

  /** The chosen theme, `light` or `dark`; '': the system's. */
  get theme() {
    return this.#read(THEME) ?? '';
  }

  /** @param {string} theme */
  setTheme(theme) {
    this.#write(THEME, theme);
    document.dispatchEvent(new CustomEvent('themechoice', { detail: theme }));
  }

  /** True if fingers draw even if a pen is used; null: not chosen yet. @returns {boolean | null} */
  get fingersDraw() {
    const value = this.#read(FINGERS);
    return value === null ? null : value === 'draw';
  }

  /** @param {boolean} draw */
  setFingersDraw(draw) {
    this.#write(FINGERS, draw ? 'draw' : 'move');
  }

  /** @param {string} key @returns {string | null} */
  #read(key) {
    try {
      return this.#storage.getItem(key);
    } catch {
      return null;
    }
  }

  /** @param {string} key @param {string} value */
  #write(key, value) {
    try {
      this.#storage.setItem(key, value);
    } catch {
      // Storage is full or switched off: the setting lasts until the page is closed.
    }
  }
}

/** @typedef {Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>} KeyValueStorage */

/**
 * Returns the browser's storage, or a storage in memory if the browser refuses.
 * @param {() => Storage} get @returns {KeyValueStorage}
 */
export function storageOr(get) {
  try {
    return get();
  } catch {
    /** @type {Map<string, string>} */
    const values = new Map();
    return {
      getItem: (key) => values.get(key) ?? null,
      setItem: (key, value) => void values.set(key, value),
      removeItem: (key) => void values.delete(key),
    };
  }
}

/** The themes; '': the system's. */
const THEMES = ['', 'light', 'dark'];

/** @param {Settings} settings */
export function offerThemes(settings) {
  const [system, light, dark] = [icon('system'), icon('light'), icon('dark')];
  const buttons = [system, light, dark].map((drawing, index) =>
    radioButton('theme', { label: strings.themes[index] }, drawing)
  );
  const group = new RadioGroup(element('themes'), buttons, (index) => settings.setTheme(THEMES[index]));
  group.show(THEMES.indexOf(settings.theme));
}

/**
 * The setting for touch input. After a pen was used, fingers move the page instead of drawing, because a resting hand must not
 * draw.
 */
export class TouchDrawingSetting {
  #settings;
  #button = element('fingers');
  #isPenDetected = false;
  #isExplained = false;

  /** @param {Settings} settings */
  constructor(settings) {
    this.#settings = settings;
    this.#button.addEventListener('click', () => {
      settings.setFingersDraw(!settings.fingersDraw);
      this.#show();
    });
  }

  penDetected() {
    if (this.#isPenDetected) return;
    this.#isPenDetected = true;
    this.#button.hidden = false;
    this.#show();
  }

  /** @returns {boolean} true if a finger moves the page instead of drawing */
  movesPage() {
    if (!this.#isPenDetected || this.#settings.fingersDraw) return false;
    if (!this.#isExplained && this.#settings.fingersDraw === null) toast(strings.fingersMove);
    this.#isExplained = true;
    return true;
  }

  #show() {
    this.#button.setAttribute('aria-pressed', String(this.#settings.fingersDraw === true));
  }
}
