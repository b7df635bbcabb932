// The marks of the protocols, by matplotlib's names, as SVG paths in a box from -1 to 1: one colour and one shape each, as in print.
"use strict";

windtunnel.marks = (() => {
  const polygon = (corners, radius, turn = 0) => {
    const points = [];
    for (let at = 0; at < corners; at += 1) {
      const angle = turn + (2 * Math.PI * at) / corners - Math.PI / 2;
      points.push(`${(radius * Math.cos(angle)).toFixed(3)} ${(radius * Math.sin(angle)).toFixed(3)}`);
    }
    return `M${points.join("L")}Z`;
  };
  const star = () => {
    const points = [];
    for (let at = 0; at < 10; at += 1) {
      const radius = at % 2 ? 0.5 : 1.25;
      const angle = (Math.PI * at) / 5 - Math.PI / 2;
      points.push(`${(radius * Math.cos(angle)).toFixed(3)} ${(radius * Math.sin(angle)).toFixed(3)}`);
    }
    return `M${points.join("L")}Z`;
  };
  const plus = "M-.4-1.1H.4V-.4H1.1V.4H.4V1.1H-.4V.4H-1.1V-.4H-.4Z";
  const cross = "M-.55-1.1L0-.55.55-1.1 1.1-.55.55 0 1.1.55.55 1.1 0 .55-.55 1.1-1.1.55-.55 0-1.1-.55Z";
  const shapes = {
    o: "M-1 0A1 1 0 1 1 1 0A1 1 0 1 1-1 0Z",
    s: "M-.9-.9H.9V.9H-.9Z",
    D: "M0-1.2L1.2 0 0 1.2-1.2 0Z",
    d: "M0-1.3L.75 0 0 1.3-.75 0Z",
    "^": "M0-1L1.05 .9H-1.05Z",
    v: "M0 1L1.05-.9H-1.05Z",
    "<": "M-1 0L.9-1.05V1.05Z",
    ">": "M1 0L-.9-1.05V1.05Z",
    P: plus,
    X: cross,
    "*": star(),
    p: polygon(5, 1.1),
    h: polygon(6, 1.1),
    H: polygon(6, 1.1, Math.PI / 6),
    8: polygon(8, 1.05, Math.PI / 8),
  };
  const path = (mark) => shapes[mark] || shapes.o;

  // Draws a mark on a canvas: filled with a thin edge of paper, hollow, or its left half filled.
  const draw = (context, mark, x, y, size, colour, { hollow = false, half = false, paper } = {}) => {
    context.save();
    context.translate(x, y);
    context.scale(size, size);
    const shape = new Path2D(path(mark));
    const open = hollow || half;
    context.fillStyle = open ? paper : colour;
    context.strokeStyle = open ? colour : paper;
    context.lineWidth = (open ? 1.4 : 0.8) * (devicePixelRatio / size);
    context.fill(shape);
    if (half) {
      context.save();
      context.beginPath();
      context.rect(-2, -2, 2, 4);
      context.clip();
      context.fillStyle = colour;
      context.fill(shape);
      context.restore();
    }
    context.stroke(shape);
    context.restore();
  };

  const icon = (mark, pair, dash) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    for (const [key, value] of Object.entries({ viewBox: "-14 -7 28 14", width: 28, height: 14, "aria-hidden": "true" })) made.setAttribute(key, value);
    made.style.setProperty("--light", pair[0]);
    made.style.setProperty("--dark", pair[1]);
    const add = (name, attributes) => {
      const part = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, value);
      made.append(part);
    };
    add("path", { d: "M-13 0H13", class: "stroke", "stroke-dasharray": dash.join(" ") });
    if (mark) add("path", { d: path(mark), class: "fill", transform: "scale(4.6)" });
    return made;
  };

  return { draw, icon };
})();
