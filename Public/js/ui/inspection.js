/** The state of the page for tests and for the browser's console, as `drawTogether`. */

/**
 * @param {object} parts
 * @param {import('../app/sharing.js').Sharing} parts.sharing
 * @param {typeof import('../sync/stateHash.js').stateHash} parts.stateHash
 * @param {import('../model/scene.js').Items} parts.items
 * @param {import('../model/shapes.js').Shapes} parts.shapes
 * @param {import('../edit/selection.js').Selection} parts.selection
 * @param {import('../render/renderer.js').Renderer} parts.renderer
 * @param {import('../model/scheduling.js').FrameQueue} parts.frameQueue
 */
export function openToInspection({ sharing, stateHash, shapes, items, selection, renderer, frameQueue }) {
  const inspection = {
    stateHash: async () => (sharing.session ? await stateHash(sharing.session.retained) : ''),
    get participants() {
      return sharing.session?.activeParticipants ?? [];
    },
    get me() {
      return sharing.session?.localParticipant ?? null;
    },
    get pictures() {
      return items.all.map((item) => ({
        id: item.id,
        name: item.name,
        isPicture: item.isPicture,
        ...item.place,
        state: item.upload && !item.upload.isOver || item.upload?.state === 'failed' ? item.upload.state : item.state,
        offset: item.upload?.offset ?? item.offset,
        size: item.size,
        isDrawn: item.bitmap !== null || !item.isPicture,
        isSelected: selection.has(item.id),
      }));
    },
    /** The shapes, lowest first. */
    shapes: () =>
      shapes.all.map(({ id, rgb, z, bounds, ...rest }) => ({
        id,
        type: 'tool' in rest ? rest.tool : 'text',
        text: 'text' in rest ? rest.text : '',
        rgb,
        z,
        ...bounds,
        isSelected: selection.has(id),
      })),
    /** True if all received entries are on the canvas, at full resolution. */
    get isSettled() {
      return (sharing.session?.isConnected ?? true) && !frameQueue.hasPending && !renderer.hasPendingWork;
    },
    redraw: async () => {
      renderer.redraw();
      renderer.frame();
      while (renderer.isLarge && renderer.hasPendingWork) await new Promise(requestAnimationFrame);
    },
  };
  Object.defineProperty(globalThis, 'drawTogether', { value: Object.freeze(inspection) });
}
