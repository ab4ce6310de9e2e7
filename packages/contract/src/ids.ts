/** Shapes of the identifiers, names and secrets that cross the API. */
export const apiKeyPattern = /^tp_live_[0-9a-f]{64}$/;
export const sessionIdPattern = /^br_[0-9a-f]{24}$/;
export const cdpIdPattern = /^br_[0-9a-f]{40}$/;
/** A snapshot's id, in creates and in paths. */
export const snapshotIdPattern = /^snap_[0-9a-f]{24}$/;
/** A region's name, on hosts and in creates. */
export const regionPattern = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;
/** A saved profile's name, in creates and in paths. */
export const profileNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** The name of a saved proxy or a pool, and a tag, in creates and in paths. */
export const savedNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** An extension's id, as Chromium makes it from a public key. */
export const extensionIdPattern = /^[a-p]{32}$/;

/** The name and the tags that people give a session. */
export const sessionNamePattern = /^[^\p{Cc}\p{Cs}]{1,200}$/u;
export const sessionTagPattern = /^[\w.:/@+=-]{1,64}$/;
export const maxSessionTags = 20;
