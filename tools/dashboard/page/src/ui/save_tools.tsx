// PNG and CSV of drawings that are not uPlot plots.
import { download } from './bits.tsx';

/** Buttons that save a picture of a canvas or svg, and the values behind it (head and rows of CSV cells). */
export function SaveTools({ name, picture, table }: { name: string; picture: () => HTMLCanvasElement | SVGElement | null | undefined; table: () => string[] }) {
  return (
    <span class="tools">
      <button type="button" class="quiet" title="Save as PNG picture" onClick={() => { void savePicture(name, picture()); }}>PNG</button>
      <button type="button" class="quiet" title="Save the values as CSV" onClick={() => download(`${name}.csv`, table().join('\n') + '\n')}>CSV</button>
    </span>
  );
}

// the copy that becomes the picture gets the computed styles of the drawing
async function savePicture(name: string, source: HTMLCanvasElement | SVGElement | null | undefined): Promise<void> {
  if (!source) return;
  const { width, height } = source.getBoundingClientRect();
  const canvas = document.createElement('canvas');
  canvas.width = 2 * width;
  canvas.height = 2 * height;
  const g = canvas.getContext('2d')!;
  g.imageSmoothingEnabled = false;
  g.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--panel');
  g.fillRect(0, 0, canvas.width, canvas.height);
  if (source instanceof HTMLCanvasElement) {
    g.drawImage(source, 0, 0, canvas.width, canvas.height);
  } else {
    const copy = source.cloneNode(true) as SVGElement;
    const parts = [...source.querySelectorAll<SVGElement>('*')];
    copy.querySelectorAll<SVGElement>('*').forEach((part, i) => {
      const { fill, stroke, font, strokeDasharray } = getComputedStyle(parts[i]);
      Object.assign(part.style, { fill, stroke, font, strokeDasharray });
    });
    copy.setAttribute('width', String(canvas.width));
    copy.setAttribute('height', String(canvas.height));
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    if (!copy.hasAttribute('viewBox')) copy.setAttribute('viewBox', `0 0 ${width} ${height}`);
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
    await image.decode();
    g.drawImage(image, 0, 0);
  }
  canvas.toBlob((blob) => { if (blob) download(`${name}.png`, blob); });
}
