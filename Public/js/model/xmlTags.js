/** The tags of an XML text. Unlike a parser of the browser, this one loads nothing, reports nothing, and expands no entities. */

/**
 * A tag of an XML text. `start` and `end` are its positions; `text` is the part between the brackets.
 * @typedef {{ start: number, end: number, text: string }} Tag
 */

/** The sections that may contain brackets. */
const SECTIONS = [['<!--', '-->'], ['<![CDATA[', ']]>'], ['<?', '?>']];

/**
 * Returns the tags of an XML text. Each character is read once, so the time depends on the length only, also for hostile texts.
 * @param {string} xml @returns {Generator<Tag>}
 */
export function* tagsOf(xml) {
  for (let start = xml.indexOf('<'); start >= 0;) {
    const [opening, closing] = SECTIONS.find(([opening]) => xml.startsWith(opening, start)) ?? ['', ''];
    const end = closing ? after(xml, closing, start + opening.length) : endOfTag(xml, start);
    if (end < 0) return;
    yield { start, end, text: xml.slice(start + 1, end - 1) };
    start = xml.indexOf('<', end);
  }
}

/** @param {string} text @param {string} part @param {number} from @returns {number} the position after the part; -1: none */
function after(text, part, from) {
  const at = text.indexOf(part, from);
  return at < 0 ? -1 : at + part.length;
}

/** @param {string} xml @param {number} start of a tag or a declaration @returns {number} the position after it; -1: none */
function endOfTag(xml, start) {
  let depth = 0;
  for (let at = start + 1; at < xml.length; at += 1) {
    const one = xml[at];
    if (one === '"' || one === "'") {
      at = xml.indexOf(one, at + 1);
      if (at < 0) return -1;
    } else if (one === '[') depth += 1;
    else if (one === ']') depth -= 1;
    else if (one === '>' && depth <= 0) return at + 1;
  }
  return -1;
}

/** @param {string} text of a tag @returns {string} the name of its element without a prefix; '' if it begins no element */
export function nameOf(text) {
  return /^(?:[\w.-]+:)?([\w.-]+)/.exec(text)?.[1] ?? '';
}

/** An attribute with its quoted value. */
export const ATTRIBUTE = /\s([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** @param {string} text of a tag @returns {Map<string, string>} */
export function attributesOf(text) {
  return new Map([...text.matchAll(ATTRIBUTE)].map(([, name, value, quoted]) => [name, value ?? quoted]));
}
