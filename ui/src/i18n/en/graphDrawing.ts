/** Words of every drawing of nodes and wires. */

export const graphDrawing = {
  fit: 'Fit to view',
  panel: 'Show or hide panel',
  miniMap: 'Minimap; drag to pan',
}
