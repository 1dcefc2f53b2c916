/** Converts SVGs and canvases to images. */

/** Loads an SVG file as an image that can be drawn on a canvas. */
export async function imageOfSvg(svg: string): Promise<HTMLImageElement> {
  const address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    return image;
  } finally {
    URL.revokeObjectURL(address);
  }
}

export const pngOfCanvas = async (canvas: HTMLCanvasElement): Promise<Blob> =>
  new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error('Could not create the image'));
      else resolve(blob);
    }, 'image/png');
  });
