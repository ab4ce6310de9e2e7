/** What the API says for a number without a limit, so that `remaining > 0` stays true for its clients. */
export const unlimitedSeconds = 2147483647;
