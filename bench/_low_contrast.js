/**
 * Runs in the browser: returns the texts whose contrast is below `least`, each with its ratio, as WCAG 2.2
 * measures it (success criterion 1.4.3), and the bars and edges of controls below 3 (1.4.11). Disabled buttons need none.
 */
export function lowContrast(least) {
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  // Colours are drawn, so that any notation of CSS is read
  const rgba = (color) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  // No background of the page is half transparent
  const groundOf = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const ground = rgba(getComputedStyle(at).backgroundColor);
      if (ground[3] === 255) return ground.slice(0, 3);
    }
    return rgba("Canvas").slice(0, 3);
  };
  const found = [];
  const check = (element, text, color, needed = least) => {
    const pair = [luminance(rgba(color).slice(0, 3)), luminance(groundOf(element))];
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    if (ratio < needed) found.push(`${ratio.toFixed(2)}: ${text.slice(0, 60)}`);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    const element = walker.currentNode.parentElement;
    const isShown = element.checkVisibility() && !element.closest("[aria-disabled=true]");
    if (text !== "" && isShown) check(element, text, getComputedStyle(element).color);
  }
  for (const input of document.querySelectorAll("input, textarea")) {
    if (!input.checkVisibility()) continue;
    check(input, `value of ${input.id}`, getComputedStyle(input).color);
    check(input, `example of ${input.id}`, getComputedStyle(input, "::placeholder").color);
  }
  for (
    const part of document.querySelectorAll(".shares span:not(.depends), button, input, select")
  ) {
    const { backgroundColor, borderTopColor } = getComputedStyle(part);
    const color = part.matches("span") ? backgroundColor : borderTopColor;
    const isUsed = part.checkVisibility() && part.ariaDisabled !== "true";
    if (isUsed) check(part.parentElement, `part ${part.className}`, color, 3);
  }
  return found;
}
