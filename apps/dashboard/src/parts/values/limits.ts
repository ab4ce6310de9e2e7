/** The API's value for “no limit”, so that `remaining > 0` stays true for its clients. */
export const unlimitedSeconds = 2147483647;
