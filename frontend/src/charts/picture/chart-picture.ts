/** Draws a chart as one image: its SVGs and canvases from back to front, in the current colors. */
import { imageOfSvg, pngOfCanvas } from './raster';

/** Style properties that are copied to the elements of an SVG, as an image has no style sheets. */
const STYLES = [
  'display',
  'dominant-baseline',
  'fill',
  'fill-opacity',
  'font-family',
  'font-size',
  'font-style',
  'font-variant-numeric',
  'font-weight',
  'letter-spacing',
  'opacity',
  'paint-order',
  'stroke',
  'stroke-dasharray',
  'stroke-linecap',
  'stroke-linejoin',
  'stroke-opacity',
  'stroke-width',
  'text-anchor',
  'visibility',
];
/** Some browsers limit the sides of a canvas to 16,384 pixels. */
const MOST_PX = 16_000;

/** Uses two pixels per pixel of the page, or fewer if a canvas cannot have so many. */
export async function drawPicture(chart: HTMLElement): Promise<Blob> {
  const frame = chart.getBoundingClientRect();
  const ratio = Math.min(2, MOST_PX / Math.max(frame.width, frame.height, 1));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(frame.width * ratio);
  canvas.height = Math.round(frame.height * ratio);
  const ink = canvas.getContext('2d');
  if (ink === null) throw new Error('Could not create the image');
  ink.scale(ratio, ratio);
  ink.fillStyle = backgroundOf(chart);
  ink.fillRect(0, 0, frame.width, frame.height);
  const layers = [...chart.querySelectorAll<SVGSVGElement | HTMLCanvasElement>('svg, canvas')];
  const pictures = await Promise.all(
    layers.filter(isPartOfPicture).map(async (layer) => ({
      place: layer.getBoundingClientRect(),
      picture: layer instanceof HTMLCanvasElement ? layer : await imageOfSvg(writtenOut(layer)),
    })),
  );
  for (const { place, picture } of pictures)
    ink.drawImage(
      picture,
      place.left - frame.left,
      place.top - frame.top,
      place.width,
      place.height,
    );
  return pngOfCanvas(canvas);
}

const isPartOfPicture = (layer: Element): boolean => {
  const { width, height } = layer.getBoundingClientRect();
  const isInside = layer.parentElement?.closest('svg') ?? null;
  return width > 0 && height > 0 && isInside === null && layer.closest('button') === null;
};

/** Returns the first background color behind the chart. */
function backgroundOf(chart: Element): string {
  for (let element: Element | null = chart; element !== null; element = element.parentElement) {
    const color = getComputedStyle(element).backgroundColor;
    if (color !== '' && color !== 'transparent' && !/^rgba\(.*, 0\)$/u.test(color)) return color;
  }
  return '#ffffff';
}

/** Returns the text of an SVG with inline styles, so that it looks the same without the page. */
function writtenOut(drawn: SVGSVGElement): string {
  const copy = drawn.cloneNode(true) as SVGSVGElement;
  const parts = [drawn, ...drawn.querySelectorAll<SVGElement>('*')];
  const copies = [copy, ...copy.querySelectorAll<SVGElement>('*')];
  for (const [number, part] of parts.entries()) {
    const style = getComputedStyle(part);
    const target = copies[number]!;
    target.removeAttribute('class');
    for (const name of STYLES) target.style.setProperty(name, style.getPropertyValue(name));
  }
  const { width, height } = drawn.getBoundingClientRect();
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  return new XMLSerializer().serializeToString(copy);
}
