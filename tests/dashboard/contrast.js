// Texts whose contrast is below 4.5 to 1 (WCAG AA), each with it.
[...document.querySelectorAll("body *")]
  .filter((one) => [...one.childNodes].some((part) => part.nodeType === 3 && part.data.trim()))
  .filter((one) => !one.closest(".hidden, .skip, svg, noscript, option"))
  .map((one) => {
    const light = (color) =>
      color
        .match(/[\d.]+/g)
        .slice(0, 3)
        .map((part) => part / 255)
        .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
        .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
    let behind = one;
    while (getComputedStyle(behind).backgroundColor === "rgba(0, 0, 0, 0)") behind = behind.parentElement;
    const pair = [light(getComputedStyle(one).color), light(getComputedStyle(behind).backgroundColor)];
    return [one.outerHTML, (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05)];
  })
  .filter((found) => found[1] < 4.5);
