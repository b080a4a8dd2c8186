/** The button “Together” at the top, and its panel: reactions, the raised hand, and ways to show something to the others. */

import { REACTIONS } from '../protocol/moments.js';
import { strings } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';
import { element, make, makeSVG } from './elements.js';
import { icon } from './icons.js';
import { closePopover } from './popovers.js';
import { reactionGlyph } from './reactionGlyphs.js';

/** @typedef {'hand' | 'ping' | 'laser' | 'gather' | 'list'} Action */

const ID = 'meeting';
/** The pictures that are not in the sprite of the markup. @type {Readonly<Record<string, string>>} */
const GLYPHS = Object.freeze({
  meeting:
    'M5 5.5h14a1.8 1.8 0 0 1 1.8 1.8v7.4a1.8 1.8 0 0 1-1.8 1.8h-6l-4.5 3.5v-3.5H5a1.8 1.8 0 0 1-1.8-1.8V7.3A1.8 1.8 0 0 1 5 5.5zM9.3 9.3h.01M14.7 9.3h.01M8.8 12c1.5 1.8 4.9 1.8 6.4 0',
  ping: 'M12 10.5a1.5 1.5 0 1 0 0 3a1.5 1.5 0 1 0 0-3zM12 4a8 8 0 1 0 0 16a8 8 0 1 0 0-16z',
  gather:
    'M12 10.5a1.5 1.5 0 1 0 0 3a1.5 1.5 0 1 0 0-3zM4 4l4 4M8 5v3H5M20 4l-4 4M16 5v3h3M4 20l4-4M8 19v-3H5M20 20l-4-4M16 19v-3h3',
});
/** @type {Readonly<Partial<Record<Action, string>>>} */
const KEYS = Object.freeze({ hand: 'W', ping: 'J', laser: 'K' });

export class MeetingPanel {
  #button = make('button', { type: 'button', id: 'together', class: 'together', popovertarget: ID, hidden: '' });
  #panel = make('div', { id: ID, class: 'menu', popover: '' });
  /** @type {Record<string, HTMLButtonElement>} */
  #actions = {};
  /** @type {HTMLButtonElement[]} */
  #reactions;

  /**
   * @param {{ act: (action: Action, isByKey: boolean) => void, react: (emoji: string) => void }} events `isByKey`: the button was
   *   pressed by a key
   */
  constructor({ act, react }) {
    this.#button.append(glyph('meeting'));
    this.#button.setAttribute('aria-label', laterStrings.together);
    this.#button.title = laterStrings.together;
    this.#reactions = REACTIONS.map((emoji, index) => {
      const label = laterStrings.reactions[index];
      const button = make('button', { type: 'button', class: 'tool', 'aria-label': label, title: label });
      button.append(reactionGlyph(emoji));
      button.addEventListener('click', () => react(emoji));
      return button;
    });
    const row = make('div', { class: 'reaction-row', role: 'group', 'aria-label': laterStrings.react });
    row.append(...this.#reactions);
    this.#panel.append(row);
    /** @type {[Action, string, Node][]} */
    const actions = [
      ['hand', laterStrings.raiseHand, icon('hand')],
      ['ping', laterStrings.showPlace, glyph('ping')],
      ['laser', strings.laser, icon('laser')],
      ['gather', laterStrings.gather, glyph('gather')],
      ['list', laterStrings.list, icon('share')],
    ];
    for (const [action, label, picture] of actions) {
      const button = make('button', { type: 'button' }, picture, make('span', {}, label));
      const key = KEYS[action];
      if (key) button.append(make('kbd', {}, key));
      button.addEventListener('click', ({ detail }) => {
        closePopover();
        // The `detail` of a click by a key is 0.
        act(action, detail === 0);
      });
      this.#actions[action] = button;
      this.#panel.append(button);
    }
    element('share').before(this.#button, this.#panel);
  }

  /** @param {{ isShared: boolean, isConnected: boolean, isRaised: boolean }} state */
  show({ isShared, isConnected, isRaised }) {
    this.#button.hidden = !isShared;
    this.#actions.hand.setAttribute('aria-pressed', String(isRaised));
    this.#button.toggleAttribute('data-hand', isRaised);
    for (const button of [...this.#reactions, this.#actions.gather]) button.disabled = !isConnected;
  }
}

/** @param {string} name of one of `GLYPHS` @returns {SVGElement} */
function glyph(name) {
  const path = makeSVG('path', { d: GLYPHS[name] });
  return makeSVG('svg', { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' }, path);
}
