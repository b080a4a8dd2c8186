import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { openAnimation } from '../../Public/js/render/animation.js';

const GIF = new Blob(['GIF89a and some frames']);

afterEach(() => Reflect.deleteProperty(globalThis, 'ImageDecoder'));

test('each frame can be decoded repeatedly, also in a browser that returns the same object each time', async () => {
  const decoders = useDecoder();
  const animation = await openAnimation(GIF);
  assert.deepEqual([animation?.frames, animation?.repetitions], [3, Infinity]);
  for (const at of [0, 1, 2, 0, 1, 2, 2, 0]) {
    const { image } = await /** @type {NonNullable<typeof animation>} */ (animation).decode(at);
    assert.deepEqual(image, { at, duration: 80_000, isClosed: false, close: image.close });
    image.close();
  }
  assert.deepEqual(decoders.map(({ isClosed }) => isClosed), [true, true, true, false]);
  animation?.close();
  assert.ok(decoders.every(({ isClosed }) => isClosed));
});

test('a picture with one frame is no animation, and neither are damaged data; their decoders are closed', async () => {
  for (const options of [{ frameCount: 1 }, { animated: false }, { isDamaged: true }]) {
    const decoders = useDecoder(options);
    assert.equal(await openAnimation(GIF), null);
    assert.deepEqual(decoders.map(({ isClosed }) => isClosed), [true]);
  }
});

test('without a decoder, nothing is an animation', async () => {
  assert.equal(await openAnimation(GIF), null);
});

/**
 * Installs a decoder that returns the same object each time that a frame is decoded.
 * @param {{ frameCount?: number, animated?: boolean, isDamaged?: boolean }} [options]
 * @returns {{ isClosed: boolean }[]} the decoders that are opened
 */
function useDecoder({ frameCount = 3, animated = true, isDamaged = false } = {}) {
  /** @type {{ isClosed: boolean }[]} */
  const opened = [];
  class FakeDecoder {
    isClosed = false;
    completed = isDamaged ? Promise.reject(new TypeError()) : Promise.resolve();
    tracks = {
      ready: isDamaged ? Promise.reject(new TypeError()) : Promise.resolve(),
      selectedTrack: { animated, frameCount, repetitionCount: Infinity },
    };
    #frames = Array.from({ length: frameCount }, (_, at) => {
      const frame = { at, duration: 80_000, isClosed: false, close: () => void (frame.isClosed = true) };
      return frame;
    });

    constructor() {
      opened.push(this);
    }

    /** @param {{ frameIndex: number }} options */
    decode({ frameIndex }) {
      return Promise.resolve({ image: this.#frames[frameIndex] });
    }

    close() {
      this.isClosed = true;
    }
  }
  Object.assign(globalThis, { ImageDecoder: FakeDecoder });
  return opened;
}
