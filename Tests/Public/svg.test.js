import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pictureTypeOf } from '../../Public/js/model/imageFile.js';
import { costOf, MAX_COST } from '../../Public/js/model/svgCost.js';
import { isSVG, sizedRoot, svgSize } from '../../Public/js/model/svgFile.js';

const NS = 'xmlns="http://www.w3.org/2000/svg"';

for (
  const { text, is } of [
    { text: `<svg ${NS}></svg>`, is: true },
    { text: `\xef\xbb\xbf<?xml version="1.0"?>\n<!-- <html> --><svg ${NS}/>`, is: true },
    { text: `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd" [\n<!ENTITY a "b>">\n]><svg ${NS}>`, is: true },
    { text: `<svg:svg xmlns:svg="http://www.w3.org/2000/svg"></svg:svg>`, is: true },
    { text: `<html><svg ${NS}></svg></html>`, is: false },
    { text: `<!doctype html><svg></svg>`, is: false },
    { text: `<svgs>`, is: false },
    { text: `hello <svg>`, is: false },
    { text: `<svg width="`, is: false },
    { text: `<?xml version="1.0"`, is: false },
    { text: '', is: false },
  ]
) {
  test(`${JSON.stringify(text.slice(0, 40))} is ${is ? 'an SVG' : 'no SVG'}`, async () => {
    assert.equal(isSVG(text), is);
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    assert.equal(await pictureTypeOf(new Blob([bytes])), is ? 'image/svg+xml' : null);
  });
}

/** @type {[string, [number, number]][]} */
const SIZES = [
  ['width="640" height="480"', [640, 480]],
  ['width="1in" height="2.54cm"', [96, 96]],
  [`width='30px' height='12pt' viewBox="0 0 1 1"`, [30, 16]],
  ['viewBox="0 0 24 24"', [256, 256]],
  ['viewBox="0,0,1920,1080"', [1920, 1080]],
  ['width="100%" height="100%" viewBox="0 0 400 100"', [400, 100]],
  ['width="200" viewBox="0 0 400 100"', [200, 50]],
  ['height="50" viewBox="0 0 400 100"', [200, 50]],
  ['', [300, 150]],
  ['width="-3" height="0"', [300, 150]],
  ['viewBox="0 0 0 10"', [300, 150]],
  ['viewBox="0 0 1e12 5e11"', [4096, 2048]],
  ['width="1e300" height="1"', [4096, 1]],
  ['width="9e999" height="9e999"', [300, 150]],
  ['viewBox="a b c d"', [300, 150]],
];
for (const [attributes, [width, height]] of SIZES) {
  test(`an SVG with ${attributes || 'no size'} is ${width} × ${height}`, () => {
    assert.deepEqual(svgSize(`<svg ${NS} ${attributes}>`), { width, height });
  });
}

/** @param {string} head @param {number} width @param {number} height */
function sized(head, width, height) {
  const { tag, start, end } =
    /** @type {NonNullable<ReturnType<typeof sizedRoot>>} */ (sizedRoot(head, { width, height }));
  return head.slice(0, start) + tag + head.slice(end);
}

test('the root element gets a definite size, and keeps the rest', () => {
  assert.equal(
    sized(`<?xml version="1.0"?><svg ${NS} width="10" viewBox="0 0 20 10" class='a>b'><g/></svg>`, 40, 20),
    `<?xml version="1.0"?><svg ${NS} viewBox="0 0 20 10" class='a>b' width="40" height="20"><g/></svg>`,
  );
  assert.equal(sized(`<svg ${NS}/>`, 8, 4), `<svg ${NS} viewBox="0 0 300 150" width="8" height="4"/>`);
  // A size outside the limits is scaled down, not cut off.
  assert.match(sized(`<svg ${NS} width="20000" height="10000">`, 8, 4), /viewBox="0 0 20000 10000"/);
  assert.match(sized(`<svg style='color: red; WIDTH: 100%;max-height:1px'>`, 8, 4), / style="color: red" /);
  assert.equal(sized('<svg viewBox="0 0 0 0">', 8, 4).match(/viewBox/g)?.length, 1);
});

test('the cost of an ordinary SVG is the number of its elements', () => {
  assert.equal(costOf(`<svg ${NS}><g id="a"><path/><path/></g><use href="#a"/></svg>`), 1 + 3 + 1 + 3);
  const gradients = '.b{fill:url(#g)}';
  assert.equal(
    costOf(`<svg><style>${gradients}</style><radialGradient id="g"><stop/></radialGradient><path class="a b"/></svg>`),
    1 + 1 + 2 + 1 + 2,
  );
  // The elements inside a group inherit its paint. An animated color and a long path are no references.
  assert.equal(
    costOf('<svg><g fill="url(#g)"><path d="M0 0h9h9"/><animate values="#fff;#000"/></g><pattern id="g"/></svg>'),
    1 + 1 + 1 + 1 + 1 + 3,
  );
});

/** @param {(at: number) => string} element with the id `a1`, `a2`, … that refers to the next one */
function chain(element) {
  return `<svg ${NS}>${Array.from({ length: 40 }, (_, at) => element(at)).join('')}</svg>`;
}

/** @type {Record<string, string>} */
const HOSTILE = {
  'uses of uses': chain((at) => `<g id="a${at}"><use href="#a${at + 1}"/><use xlink:href="#a${at + 1}"/></g>`),
  'patterns in patterns': chain((at) => {
    const fill = `<rect fill="url(#a${at + 1})"/>`;
    return `<pattern id="a${at}">${fill}${fill}</pattern>`;
  }),
  'masks by style': chain((at) =>
    `<g id="a${at}"><a style="mask:url('#a${at + 1}')"/><a style="mask:url(#a${at + 1})"/></g>`
  ),
  'masks by classes': chain((at) => {
    const style = `<style>.c${at}{mask:url(#a${at + 1})}</style>`;
    return `${style}<g id="a${at}"><b class="c${at}"/><b class="c${at}"/></g>`;
  }),
  'escaped references': chain((at) =>
    `<g id="a${at}"><use href="&#35;a${at + 1}"/><use style="fill:\\75rl(&#x23;a${at + 1})"/></g>`
  ),
  'letters of references escaped': chain((at) =>
    `<g id="a${at}"><b style="mask:u\\rl(#a${at + 1})"/><b mask="ur\\l(#a${at + 1})"/></g>`
  ),
  'inherited paints': chain((at) => `<pattern id="a${at}"><g fill="url(#a${at + 1})"><b/><b/></g></pattern>`),
  'paints inherited by classes': chain((at) => {
    const style = `<style>.c${at}{stroke:url(#a${at + 1})}</style>`;
    return `${style}<pattern id="a${at}"><g class="c${at}"><b/><b/></g></pattern>`;
  }),
  'paints inherited by uses': `<svg ${NS}><g id="r">${'<b/>'.repeat(99)}</g>${
    Array.from({ length: 9 }, (_, at) => `<pattern id="a${at}"><use href="#r" fill="url(#a${at + 1})"/></pattern>`)
      .join('')
  }<b fill="url(#a0)"/></svg>`,
  'markers on long paths': chain((at) =>
    `<marker id="a${at}"><path d="M0 0h1h1" marker-mid="url(#a${at + 1})"/></marker>`
  ),
  'paints in variables': `<svg ${NS}><g style="--a: url(#b); fill: var(--a)"/></svg>`,
  'animated paints': `<svg ${NS}><g><animate attributeName="fill" values="url(#a)"/></g></svg>`,
  'default attributes': `<!DOCTYPE svg [<!ATTLIST use href CDATA "#a">]><svg ${NS}><use/></svg>`,
  'a linked style sheet': `<?xml-stylesheet href="data:text/css,*{mask:url(%23a)}"?><svg ${NS}/>`,
  'a linked style sheet of HTML':
    `<svg ${NS}><h:link xmlns:h="http://www.w3.org/1999/xhtml" rel="stylesheet" href="data:text/css,a"/></svg>`,
  'an imported style sheet': `<svg ${NS}><style>@\\69mport "data:text/css,a";</style></svg>`,
  'elements as pictures': `<svg ${NS}><b style="background: -moz-element(#a)"/></svg>`,
  'too many references': `<svg ${NS}><b mask="${'url(#a)'.repeat(200_000)}"/></svg>`,
  'too many references in styles': `<svg ${NS}><style>${'.a{mask:url(#a)}'.repeat(100_000)}</style></svg>`,
  'too many inherited paints': `<svg ${NS}>${'<g fill="url(#a)">'.repeat(100_000)}</svg>`,
  'entities in entities': `<!DOCTYPE svg [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><svg ${NS}>&b;</svg>`,
  'markup in entities': `<!DOCTYPE svg [<!ENTITY a '<use href="#b"/>'>]><svg ${NS}>&a;</svg>`,
  'external entities': `<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]><svg ${NS}>&a;</svg>`,
  'references by entities': `<!DOCTYPE svg [<!ENTITY a "b">]><svg ${NS}><use href="#&a;"/></svg>`,
  'documents in documents': `<svg ${NS}><image href="data:image/SVG+xml,&lt;svg/>"/></svg>`,
  'many filters': `<svg ${NS}>${'<feGaussianBlur/>'.repeat(600)}</svg>`,
  'a deep chain': `<svg>${
    Array.from({ length: 50_000 }, (_, at) => `<use id="a${at}" href="#a${at + 1}"/>`).join('')
  }</svg>`,
};
for (const [name, svg] of Object.entries(HOSTILE)) {
  test(`an SVG with ${name} is too complex for a picture`, () => assert.ok(costOf(svg) > MAX_COST));
}

test('an SVG that refers to itself does not loop', () => {
  assert.ok(costOf('<svg id="a"><use href="#a"/><use href="#a"/></svg>') < 10);
});

test('the namespaces of drawing programs may be entities', () => {
  const doctype = '<!DOCTYPE svg [<!ENTITY ns_svg "http://www.w3.org/2000/svg">]>';
  assert.equal(costOf(`${doctype}<svg xmlns="&ns_svg;"><path/></svg>`), 2);
});

test('a hostile text is read in linear time', () => {
  // A quadratic scan of these would take minutes.
  for (
    const part of [
      '<a "',
      '<style>',
      '<style>.a{}</style>',
      '<b class="a"/>',
      '<g fill="url(#a)"/>',
      '<b d="url("/>',
      '<!--',
      '<![CDATA[',
      '<a b="',
      '<g id="a">',
      '<x ',
      '&#',
      '<!DOCTYPE [',
    ]
  ) {
    costOf(`<svg ${NS}>${part.repeat(50_000)}`);
  }
});
