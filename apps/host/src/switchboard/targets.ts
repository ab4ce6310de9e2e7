/** A target as DevTools describes it (`Target.TargetInfo`). */
export interface TargetInfo {
  targetId: string;
  type: string;
  title: string;
  url: string;
  openerId?: string;
  parentId?: string;
  browserContextId?: string;
}

/** The parameters of `Target.attachedToTarget`. Its `sessionId` is DevTools' own: the id of the CDP session. */
export interface AttachedTarget {
  sessionId: string;
  targetInfo: TargetInfo;
  waitingForDebugger: boolean;
}
