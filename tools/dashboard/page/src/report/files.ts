// Saves a figure as a file.

export function save(name: string, text: string, type: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The figure's SVG as a file of its own, with its style inside. */
export function svgFile(svg: SVGSVGElement, style: string): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const { width, height } = svg.viewBox.baseVal;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  const own = document.createElementNS('http://www.w3.org/2000/svg', 'style');
  own.textContent = style;
  copy.prepend(own);
  return new XMLSerializer().serializeToString(copy);
}
