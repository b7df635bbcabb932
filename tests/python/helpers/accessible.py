"""What a reader with a keyboard or a screen reader would stumble over on a page that a browser shows; empty when nothing is found.

The rules are WCAG 2.2 (1.1.1, 1.3.1, 2.1.1, 2.4.6, 2.5.3, 4.1.2) in the form that they have in axe-core: every image, button, link and
field has a name that holds what is written on it; no level of headings is left out; landmarks of a kind have different names; what scrolls
can be scrolled by keys.
"""

from __future__ import annotations

from typing import Any

_FAULTS = """() => {
  const faults = [];
  const add = (what, one) => faults.push(`${what}: ${one.outerHTML.slice(0, 120)}`);
  const shown = (one) => one.checkVisibility({visibilityProperty: true}) && !one.closest('[aria-hidden=true]');
  const all = (names) => [...document.querySelectorAll(names)].filter(shown);
  const plain = (text) => (text || '').replace(/\\s+/g, ' ').trim().toLowerCase();
  const given = (one) => {
    const ids = (one.getAttribute('aria-labelledby') || '').split(' ');
    const by = ids.map((id) => document.getElementById(id)?.textContent || '').join(' ');
    return plain(one.getAttribute('aria-label') || by);
  };
  let before = 0;
  for (const one of all('h1, h2, h3, h4, h5, h6, [role=heading]')) {
    const level = Number(one.getAttribute('aria-level') || one.tagName.slice(1));
    if (!level) add('a heading without a level', one);
    else if (!one.closest('nav, aside')) {
      if (level > before + 1) add(`a heading of level ${level} below one of ${before}`, one);
      before = level;
    }
  }
  const names = new Set();
  for (const one of all('nav, aside, [role=region], section[aria-label], section[aria-labelledby]')) {
    const kind = {NAV: 'navigation', ASIDE: 'complementary'}[one.tagName] || 'region';
    const name = `${kind} ${given(one)}`;
    if (names.has(name)) add(`a second landmark called '${name}'`, one);
    names.add(name);
  }
  for (const one of all('body *')) {
    const style = getComputedStyle(one);
    const across = /auto|scroll/.test(style.overflowX) && one.scrollWidth > one.clientWidth + 1;
    const down = /auto|scroll/.test(style.overflowY) && one.scrollHeight > one.clientHeight + 1;
    const reached = one.tabIndex >= 0 || one.querySelector('a[href], button, input, select, textarea, [tabindex="0"]');
    if ((across || down) && !reached) add('no key scrolls it', one);
  }
  for (const one of all('button, a[href], input:not([type=hidden]), select, textarea, [role=button], [role=img]')) {
    const images = [...one.querySelectorAll('img[alt], svg > title')];
    const inside = images.map((image) => image.getAttribute('alt') || image.textContent).join(' ');
    const labels = [...(one.labels || [])].map((label) => label.textContent).join(' ');
    const written = plain(one.tagName === 'SELECT' ? '' : one.innerText);
    const named = given(one) || written || plain(`${labels} ${inside} ${one.title} ${one.getAttribute('placeholder') || ''}`);
    if (!named) add('it has no name', one);
    const says = /[a-z]{2}/.test(written) && one.getAttribute('aria-label');
    if (says && !given(one).includes(written)) add('its name lacks what is written on it', one);
  }
  for (const one of document.querySelectorAll('img:not([alt])')) add('an image without a text', one);
  return faults;
}"""


def faults(page: Any) -> list[str]:
    """Return what is wrong with the page that a browser shows.

    Parameters
    ----------
    page : playwright.sync_api.Page
        The page, loaded.

    Returns
    -------
    list of str
        What is wrong, and with which element.
    """
    return list(page.evaluate(_FAULTS))
