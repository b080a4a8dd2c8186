import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, FakeBrowser, fileOf, hashOf } from './journalSupport.js';
import { catchUp, caughtUp, joined, keyOf, quiet, until } from './support.js';

const KiB = 1024;
const ID = keyOf(0xaa);
const SIZE = 600 * KiB;

test('after a crash that keeps the received bytes the upload continues', async () => {
  const { browser, upload, comeBack, wait } = await halfWay();
  browser.gateway.faults = [{ unheard: true }];
  comeBack(ID);
  await wait(upload.done);
  assert.equal(browser.gateway.taken, SIZE);
  assert.equal(browser.gateway.methods.match(/POST/g)?.length, 1);
});

test('after a crash that loses the upload, it restarts when the session shows the loss', async () => {
  const { browser, upload, comeBack, wait, network } = await halfWay();
  browser.gateway.stored.clear();
  network.dispatchEvent(new Event('online'));
  await until(() => browser.gateway.methods.endsWith('HEAD'));
  await quiet();
  // The socket is lost, so it is unknown if the upload was removed.
  assert.deepEqual([upload.state, upload.isInterrupted], ['uploading', true]);
  comeBack();
  const attachment = await wait(upload.done);
  assert.equal(attachment.sha256, hashOf(bytesOf(SIZE)));
  assert.equal(browser.gateway.methods.match(/POST/g)?.length, 2);
  await until(() => browser.store.kept.size === 0);
});

test('an upload waits while the session lists it but requests do not find it', async () => {
  const { browser, upload, comeBack, wait } = await halfWay();
  browser.gateway.faults = [{ answer: { status: 404 } }, { answer: { status: 404 } }];
  comeBack(ID);
  await wait(upload.done);
  assert.deepEqual([browser.gateway.taken, browser.gateway.faults], [SIZE, []]);
});

for (
  const { rule, committed, lists, again } of [
    { rule: 'and is lost, it is brought again', committed: 0, lists: false, again: 1 },
    { rule: 'and is there, nothing is sent', committed: 0, lists: true, again: 0 },
    { rule: 'was committed and then removed, it stays removed', committed: 1000, lists: false, again: 0 },
  ]
) {
  test(`an upload that was ready before a crash: ${rule}`, async () => {
    const browser = new FakeBrowser();
    const page = browser.open();
    await page.wait(page.journal.add(fileOf(10), { id: ID }));
    page.last().tell({ committed: { sequence: committed } });
    if (!lists) browser.gateway.stored.clear();
    crashed(page)(...lists ? [browser.gateway.entry(ID)] : []);
    assert.equal(page.journal.uploads.length, again);
    for (const { done } of page.journal.uploads) await page.wait(done);
    assert.equal(browser.gateway.methods.match(/POST/g)?.length, 1 + again);
    assert.equal(browser.gateway.stored.size, Number(lists) + again);
  });
}

test('after a reload and a crash that lost the upload it restarts', async () => {
  const { browser, vanish } = await halfWay();
  vanish();
  browser.gateway.stored.clear();
  const page = browser.open({ joins: false });
  await until(() => page.journal.uploads.length === 1);
  page.last().open();
  crashed(page, false)();
  const [upload] = page.journal.uploads;
  const attachment = await page.wait(upload.done);
  assert.equal(attachment.sha256, hashOf(bytesOf(SIZE)));
});

/** Begins an upload and cuts the connection after a part of the file. */
async function halfWay() {
  const browser = new FakeBrowser();
  const page = browser.open();
  browser.gateway.faults = [{}, { cutAfter: 100 }];
  const upload = page.journal.upload(fileOf(SIZE), { id: ID });
  await until(() => upload.isInterrupted);
  const back = crashed(page);
  return {
    browser,
    ...page,
    upload,
    comeBack: (/** @type {string[]} */ ...ids) => back(...ids.map((id) => browser.gateway.entry(id))),
  };
}

/**
 * Lets the gateway crash. @param {any} page @param {boolean} [cuts]
 * @returns {(...entries: Uint8Array[]) => void} lets it return with these entries
 */
function crashed({ last, reopen }, cuts = true) {
  if (cuts) last().cut();
  return (...entries) => {
    if (cuts) reopen();
    last().tell(joined({ epoch: 'e2', sequence: 50, resumed: true }));
    last().tell(catchUp('snapshot', 50));
    if (entries.length > 0) last().entries(...entries);
    last().tell(caughtUp(50));
  };
}
