/** The largest chart of the page as it is shown, with the title of the page above it, as a PNG. */

const TITLE_PX = 34;
const PADDING_PX = 12;

/** A chart is one canvas, or several layers in one element. */
function findLargestChart(): HTMLCanvasElement[] {
  const canvases = [...document.querySelectorAll<HTMLCanvasElement>('main canvas')];
  const area = ({ width, height }: HTMLCanvasElement) => width * height;
  const [largest] = canvases.toSorted((a, b) => area(b) - area(a));
  if (!largest || area(largest) === 0) return [];
  return canvases.filter(({ parentElement }) => parentElement === largest.parentElement);
}

export const hasChart = (): boolean => findLargestChart().length > 0;

export async function drawPagePicture(title: string): Promise<Blob> {
  const layers = findLargestChart();
  const [first] = layers;
  const picture = document.createElement('canvas');
  const context = picture.getContext('2d');
  if (!first || !context) throw new Error('the page has no chart');
  const ratio = first.width / Math.max(1, first.clientWidth);
  const styles = getComputedStyle(document.body);
  picture.width = first.width;
  picture.height = first.height + Math.round(TITLE_PX * ratio);
  context.fillStyle = styles.backgroundColor;
  context.fillRect(0, 0, picture.width, picture.height);
  context.fillStyle = styles.color;
  context.font = `600 ${14 * ratio}px ${styles.fontFamily}`;
  context.textBaseline = 'middle';
  context.fillText(
    title,
    PADDING_PX * ratio,
    (TITLE_PX / 2) * ratio,
    picture.width - 2 * PADDING_PX * ratio,
  );
  for (const layer of layers) context.drawImage(layer, 0, TITLE_PX * ratio);
  return new Promise((resolve, reject) => {
    picture.toBlob((blob) => {
      if (blob) resolve(blob);
      else reject(new Error('the image could not be created'));
    }, 'image/png');
  });
}
