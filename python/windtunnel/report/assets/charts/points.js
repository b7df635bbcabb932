// The points of a figure as links to their repeats, reached by mouse, touch and arrow keys.
"use strict";

windtunnel.points = (() => {
  const REACH = 22;

  // Points beyond an edge lie just inside it, and those of one x side by side. Others lie a little beside their x where bars would hide each other.
  const places = (chart, own) => {
    const beyond = (point) => (point.k === "unreached" ? 1 : point.k === "below" ? -1 : 0);
    const { width, height } = chart.over.getBoundingClientRect();
    return own.map((point) => {
      const x = chart.valToPos(point.x, "x") + (point.d || 0);
      const edge = beyond(point);
      if (!edge) return { x, y: chart.valToPos(point.y, "y") };
      const row = own.filter((one) => one.x === point.x && beyond(one) === edge);
      const shift = (row.indexOf(point) - (row.length - 1) / 2) * 10 - (point.d || 0);
      return { x: Math.min(Math.max(x + shift, 4), width - 4), y: edge > 0 ? 13 : height - 13, edge };
    });
  };

  // The points as links over a chart. Only the nearest to the mouse takes it, so that no mark hides another.
  const links = ({ chart, own }, root, state, tip) => {
    const made = own.map((point) => {
      const attributes = { class: "spot", "aria-label": `${point.t}: ${point.v}`, tabindex: "-1" };
      const link = point.h ? windtunnel.element("a", { ...attributes, href: root + point.h }) : windtunnel.element("span", { ...attributes, role: "img" });
      chart.over.append(link);
      return link;
    });
    const place = () => {
      places(chart, own).forEach((at, order) => {
        made[order].style.left = `${at.x}px`;
        made[order].style.top = `${at.y}px`;
        made[order].hidden = state.hidden.has(own[order].s);
      });
    };
    place();
    chart.hooks.draw.push(place);

    const choose = (order) => {
      made.forEach((link, other) => link.classList.toggle("near", other === order));
      const near = order === null ? null : own[order].s;
      if (near !== state.near) {
        state.near = near;
        state.redraw();
      }
      tip(order === null ? null : own[order], made[order]);
    };
    const nearest = (event) => {
      const box = chart.over.getBoundingClientRect();
      let found = null;
      let least = REACH;
      places(chart, own).forEach((at, order) => {
        const far = Math.hypot(at.x - (event.clientX - box.left), at.y - (event.clientY - box.top));
        if (far < least && !state.hidden.has(own[order].s)) [found, least] = [order, far];
      });
      return found;
    };
    chart.over.addEventListener("mousemove", (event) => {
      const order = nearest(event);
      choose(order);
      chart.over.style.cursor = order !== null && own[order].h ? "pointer" : "";
    });
    // What is shown as chosen is what a click follows, also beside the mark itself.
    chart.over.addEventListener("click", (event) => {
      const order = nearest(event);
      if (order === null || !own[order].h || made[order].contains(event.target)) return;
      if (event.ctrlKey || event.metaKey) window.open(made[order].href);
      else made[order].click();
    });
    chart.over.addEventListener("mouseleave", () => choose(null));
    made.forEach((link, order) => {
      link.addEventListener("focus", () => choose(order));
      link.addEventListener("blur", () => choose(null));
    });
    return made;
  };

  // One stop of the tab key per figure; left and right go along a curve, up and down to the next curve.
  const arrows = (box, marks) => {
    if (!marks.length) return;
    marks[0].link.tabIndex = 0;
    box.addEventListener("keydown", (event) => {
      const here = marks.find((mark) => mark.link === document.activeElement);
      if (!here || !["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"].includes(event.key)) return;
      event.preventDefault();
      const along = event.key === "ArrowLeft" || event.key === "ArrowRight";
      const step = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : -1;
      const open = marks.filter((mark) => !mark.link.hidden);
      const ring = along
        ? open.filter((mark) => mark.point.s === here.point.s && mark.point.b === here.point.b)
        : open.filter((mark) => mark.point.p === here.point.p && mark.point.x === here.point.x);
      const next = ring[(ring.indexOf(here) + step + ring.length) % ring.length];
      here.link.tabIndex = -1;
      next.link.tabIndex = 0;
      next.link.focus();
    });
  };

  const tooltip = (box) => {
    const tip = windtunnel.element("div", { class: "tip", "aria-hidden": "true", hidden: "" });
    box.append(tip);
    return (point, link) => {
      tip.hidden = point === null;
      if (point === null) return;
      tip.replaceChildren(windtunnel.element("b", {}, point.v), windtunnel.element("span", {}, point.t));
      const [outer, inner] = [box.getBoundingClientRect(), link.getBoundingClientRect()];
      const x = inner.left + inner.width / 2 - outer.left;
      tip.style.left = `${Math.min(Math.max(x - tip.offsetWidth / 2, 0), outer.width - tip.offsetWidth)}px`;
      tip.style.top = `${inner.top - outer.top - tip.offsetHeight - 6}px`;
    };
  };

  return { places, links, arrows, tooltip };
})();
