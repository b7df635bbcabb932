// The address holds the resolved scenario, and the lesson that is open: what follows the #, compressed.
"use strict";

tunnel.address = (() => {
  const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

  // Letters of RFC 4648, section 5, without padding, of the deflated text (RFC 1951).
  const packed = async (text) => {
    const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
    let word = "";
    for (const byte of bytes) word += String.fromCharCode(byte);
    return btoa(word).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  };

  const unpacked = async (word) => {
    const bytes = Uint8Array.from(atob(word.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
    return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
  };

  let shown = location.hash;

  const show = async (text, lesson) => {
    shown = `#${lesson ? `lesson=${lesson}&` : ""}s=${await packed(text)}`;
    history.replaceState(null, "", shown);
  };

  // {lesson, text}, of which either may be null. Throws where the scenario cannot be read.
  const read = async () => {
    const parts = new URLSearchParams(location.hash.slice(1));
    const word = parts.get("s");
    return { lesson: parts.get("lesson"), text: word ? await unpacked(word) : null };
  };

  // Calls back when the reader, not the page, has changed the address.
  const watch = (changed) =>
    addEventListener("hashchange", () => {
      if (location.hash !== shown) changed();
    });

  return { show, read, watch };
})();
