/** The sheets of the page: their tabs, their list and their keys. */

import { SheetCommands } from '../edit/sheetCommands.js';
import { sheetAt } from '../model/sheets.js';
import { announce, confirmed, toast } from '../ui/dialogs.js';
import { element, make } from '../ui/elements.js';
import { icon } from '../ui/icons.js';
import { isBusy } from '../ui/keys.js';
import { authorOf } from '../ui/objectAuthor.js';
import { closePopover } from '../ui/popovers.js';
import { SheetPeople } from '../ui/sheetPeople.js';
import { SheetsDialog } from '../ui/sheetsDialog.js';
import { SheetTabs } from '../ui/sheetTabs.js';
import { strings } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';

/**
 * @typedef {import('../model/sheets.js').Sheet} Sheet
 * @typedef {import('../ui/sheetView.js').SheetView} SheetView
 * @typedef {{ number: number, name: string, label: string, content: import('../model/scene.js').Scene['sheet'] }} SheetOfPage
 *   `name`: '' if it has none; `label`: the name, or else the position
 *
 * @typedef {object} Parts
 * @property {import('./sharing.js').Sharing} sharing
 * @property {import('../model/scene.js').Scene} scene
 * @property {import('../edit/drawing.js').Drawing} drawing
 * @property {import('../edit/undoHistory.js').UndoHistory} history
 * @property {{ size: number }} selection
 * @property {ReturnType<typeof import('./shownSheet.js').showSheet>} shownSheet
 * @property {import('../protocol/presence.js').Presence} presence
 * @property {{ name: string, color: string }} profile of this person
 * @property {import('../ui/people.js').People} people
 * @property {() => void} changed updates the state of the page
 */

/** The maximum number of people who are named in a question. */
const MAX_NAMES = 3;

/** Offers the sheets. @param {Parts} parts */
export function startSheets(parts) {
  const { sharing, scene, drawing, history, presence, profile, selection, shownSheet } = parts;
  const { sheets, contents, view } = shownSheet;
  const commands = new SheetCommands(sheets, history, () => contents.filled);
  const people = new SheetPeople({ sheets, view, sharing, presence, profile });
  parts.people.placeOf = (person) => people.placeOf(person);
  const isEnded = () => sharing.over !== null;

  const add = () => {
    const number = commands.add();
    if (number === 0) return toast(laterStrings.tooManySheets);
    parts.changed();
    view.want(number);
  };
  /** @param {number} number */
  const remove = async (number) => {
    const canRemove = () => view.list.length > 1 && view.list.includes(number) && !isEnded();
    if (!canRemove()) return;
    const name = people.nameOf(number);
    const present = people.on(number).map(({ name }) => name);
    const rest = present.slice(MAX_NAMES);
    const named = [...present.slice(0, MAX_NAMES), ...rest.length > 0 ? [strings.morePeople(rest.length)] : []];
    const isOfOthers = sharing.session !== null && contents.of(number).all.some((one) => !isOwn(one, sharing));
    const question = {
      title: laterStrings.removeSheetQuestion(name),
      text: isOfOthers
        ? laterStrings.removeSheetText
        : laterStrings.removeSeenSheetText(strings.names(named), present.length),
      action: strings.remove,
    };
    if ((isOfOthers || present.length > 0) && !await confirmed(question)) return;
    // Other participants may have removed this sheet, or all others, while the dialog was open.
    if (!canRemove()) return;
    commands.remove(number);
    parts.changed();
    toast(laterStrings.youRemovedSheet(name));
  };
  const restore = (/** @type {number} */ number) => {
    commands.restore(number);
    parts.changed();
    view.want(number);
  };
  const shared = { sheets, view, people, commands, add, remove, restore, isEnded };
  const dialog = new SheetsDialog(shared);
  const open = (/** @type {number} */ number = 0) => void dialog.open(number);
  const tabs = new SheetTabs({ ...shared, open, hasSelection: () => selection.size > 0 });
  element('title').after(tabs.element);
  element('zoom').before(tabs.compact);
  addMenuEntry(open);

  let isShowing = false;
  const show = () => {
    if (isShowing) return;
    isShowing = true;
    // Several changes of a frame are shown together.
    requestAnimationFrame(() => {
      isShowing = false;
      tabs.show();
      dialog.show();
      // The accessible names of the faces include the sheets of the people.
      if (people.mark(element('people'))) parts.people.dispatchEvent(new Event('shown'));
    });
  };
  view.addEventListener('change', show);
  view.addEventListener('change', parts.changed);
  presence.addEventListener('change', show);
  sharing.addEventListener('session', show);
  // The faces are created again when a participant joins or leaves, so the marks have to be added again.
  new MutationObserver(show).observe(element('people'), { childList: true });
  show();

  const announceShown = () => {
    const { current, list } = view;
    announce(laterStrings.sheetShown(people.labelOf(current), list.indexOf(current) + 1, list.length));
  };
  view.addEventListener('shown', announceShown);
  const tellGone = () => toast(laterStrings.sheetGone);
  view.addEventListener('gone', tellGone);
  // The address may have named a sheet before this part of the page was loaded.
  if (view.current !== 1) announceShown();
  if (shownSheet.isGone) tellGone();
  history.before = (command) => {
    const { content } = command;
    if (content?.kind !== 'sheet') {
      const removed = view.showPlaceOf(command);
      if (removed > 0) toast(laterStrings.changedRemovedSheet(people.nameOf(removed)));
      return;
    }
    // A sheet that an undo brings back is shown as soon as it exists.
    if (!content.before || 'isRemoved' in content.before) view.want(content.number);
  };
  // The sheet does not come back if another participant has changed it since then, so the page stops waiting for it.
  drawing.addEventListener('undofailed', () => view.go(view.current));
  sheets.addEventListener('remotechange', (event) => {
    const { number, before, after, by } =
      /** @type {CustomEvent<{ number: number, before: Sheet | null, after: Sheet | null, by: number }>} */ (event)
        .detail;
    if (number !== view.current || before?.isRemoved || !after?.isRemoved) return;
    const name = sharing.session?.participant(by)?.name ?? strings.somebody;
    toast(laterStrings.removedSheetBy(name, people.nameOf(number)));
  });

  bindKeys(view);
  return {
    /** Adds a sheet without showing it. @param {string} name @returns {number} 0: there are too many */
    addSheet: (name) => commands.add(name),
    /** Names the shown sheet if it has no name. @param {string} name */
    nameShown: (name) => sheets.find(view.current)?.name || commands.rename(view.current, name),
    /** The sheets in order, with their contents. @returns {SheetOfPage[]} */
    all: () => {
      if (!sheets.isDivided) return [{ number: 1, name: '', label: people.nameOf(1), content: scene }];
      return view.list.map((number) => ({
        number,
        name: sheets.find(number)?.name ?? '',
        label: people.nameOf(number),
        content: contents.of(number),
      }));
    },
    /** The number of the shown sheet. */
    get current() {
      return view.current;
    },
    /** @param {number} x @param {number} y of the plane @returns {string} the name of the sheet; '' if it is the shown one */
    elsewhere: (x, y) => {
      const number = sheets.isDivided ? sheetAt(x, y) : view.current;
      return number === view.current ? '' : people.nameOf(number);
    },
    /** @param {() => void} call called when another sheet is shown because the shown one was removed */
    whenRemoved: (call) => view.addEventListener('removed', call),
    /**
     * Shows the sheet of a part of the plane. @param {import('../model/stroke.js').Bounds} bounds
     * @returns {boolean} true if another sheet was shown before
     */
    reach: (bounds) => {
      const before = view.current;
      view.showAt(bounds);
      return view.current !== before;
    },
  };
}

/** @param {SheetView} view */
function bindKeys(view) {
  /** @type {Record<string, 1 | -1>} */
  const steps = { PageDown: 1, PageUp: -1 };
  // This listener must run before those of other keys: without Shift, these keys change the depth of objects.
  addEventListener('keydown', (event) => {
    const by = steps[event.key];
    if (!by || !event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    if (view.list.length < 2 || isBusy(event.target)) return;
    event.preventDefault();
    view.step(by);
  }, { capture: true });
}

/** @param {() => void} open */
function addMenuEntry(open) {
  const entry = make(
    'button',
    { type: 'button', id: 'show-sheets' },
    icon('sheets'),
    make('span', {}, laterStrings.sheets),
  );
  entry.addEventListener('click', () => {
    closePopover();
    open();
  });
  element('pages').after(entry);
}

/**
 * @param {import('../model/scene.js').Drawable} one @param {Pick<Parts['sharing'], 'session'>} sharing
 * @returns {boolean} true if this person has drawn or added it
 */
export function isOwn(one, { session }) {
  return 'place' in one && one.upload !== null || authorOf(one, session) === 'you';
}
