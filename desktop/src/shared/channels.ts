/** All IPC channels between the preload script and the main process. */
export const CHANNELS = {
  /** Page to main, with the URL; answers whether the user allowed it. */
  openExternal: "obspan:open-external",
  /** Page to main, without arguments; answers a `JudgeKeyState`, as the two below. */
  judgeKeyState: "obspan:judge-key-state",
  /** Page to main, with the key. */
  saveJudgeKey: "obspan:save-judge-key",
  /** Page to main, without arguments. */
  removeJudgeKey: "obspan:remove-judge-key",
  /** Page to main, without arguments; answers a boolean. */
  isRetentionSettled: "obspan:is-retention-settled",
  /** Page to main, without arguments. */
  settleRetention: "obspan:settle-retention",
  /** Page to main, with the path of a file. */
  rememberFile: "obspan:remember-file",
  /** Page to main, without arguments. */
  restart: "obspan:restart",
  /** Main to page, with a `MenuCommand`. */
  menu: "obspan:menu",
} as const;

/** Argument that passes the version to the preload script, which is sandboxed and could not get it synchronously. */
export const VERSION_ARGUMENT = "--obspan-version=";
