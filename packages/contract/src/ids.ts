/** Shapes of the identifiers and secrets that cross the API. */
export const apiKeyPattern = /^tp_live_[0-9a-f]{64}$/;
export const sessionIdPattern = /^br_[0-9a-f]{24}$/;
export const cdpIdPattern = /^br_[0-9a-f]{40}$/;
