/**
 * Every bound of the house, in one place: a loop, buffer, queue or wait without a line here has no bound.
 * Units stand last in the names. Each number says why it is what it is.
 */
export const LIMITS = {
  // Keys and paths (shared/path)
  /** Bytes of a whole key in UTF-8: no longer than the longest path that macOS takes. */
  keySizeBytesMax: 1_024,
  /** Bytes of one segment: 255 is every disk's bound. Temp names are random and never derived from it. */
  keySegmentSizeBytesMax: 255,
  /** Folders and the file: deeper trees are nobody's notes. */
  keyDepthMax: 16,
  /** What a message shows of a hostile key; each of its characters may take ten as an escape. */
  displayLengthMax: 200,
  /** Project names: a host, a few groups, a repository. */
  projectNameLengthMax: 200,
  projectSegmentsMax: 12,

  // Memory files (shared/memory)
  /** One memory. The host shows a model 4 KiB of it; 64 KiB leaves room for pasted tables. */
  memorySizeBytesMax: 64 * 1024,
  /** Frontmatter before it is parsed: alias bombs and megabyte values stop here. */
  frontmatterSizeBytesMax: 8 * 1024,
  /** Lines of it: the libraries that split and parse it take time by lines squared. */
  frontmatterLinesMax: 400,
  /** Its YAML tokens, brackets open at once, and indicators (`-`, `:`) on one line: see isIntricateYaml. */
  frontmatterTokensMax: 1_000,
  frontmatterBracketsMax: 32,
  frontmatterIndicatorsMax: 16,
  nameLengthMax: 200,
  descriptionLengthMax: 1_000,
  /** Problems told of one file; the first ones are enough to correct it by. */
  problemsPerMemoryMax: 20,

  // Merging (shared/sync)
  /** Pairs of equal lines times lines, per side: comparing takes up to 2 ns each, and hours where thousands are blank. */
  mergeStepsMax: 100_000_000,

  // Secrets (shared/secret)
  /** Shorter values are too often words; of longer ones the beginning is judged. */
  secretValueLengthMin: 8,
  secretValueLengthMax: 128,
  /** Of a private key's block: the largest RSA keys are smaller. */
  secretKeyBlockLengthMax: 16 * 1024,
  /** Base64 of base64 is somebody hiding something; deeper than that is theirs to win. */
  secretDecodeDepthMax: 2,
  /** Told of one text, and looked at of one kind: the first ones are enough to act upon. */
  secretFindingsMax: 50,

  // The index (team/MEMORY.md): what the host reads of it
  indexLinesMax: 200,
  indexSizeBytesMax: 25_000,
  indexLineLengthMax: 150,

  // A project and its tree
  memoriesPerProjectMax: 20_000,
  treeDepthMax: 20,
  /** Entries looked at below one project, hostile ones included: a git bomb stops here. */
  treeEntriesMax: 50_000,
  projectsMax: 5_000,
  projectSizeBytesMax: 256 * 1024 * 1024,
  /** Changes of one memory, and files in quarantine or warnings beside them, that one answer lists. */
  historyChangesListedMax: 500,
  quarantinedListedMax: 1_000,

  // Proposals
  changesPerProposalMax: 500,
  proposalSizeBytesMax: 4 * 1024 * 1024,
  openProposalsPerProjectMax: 500,
  /** Of those who have pushed commits to one proposal's branch. */
  pushersNamedMax: 5,
  /** Branches below team-memory/ that are looked at: whoever may push there may make any number. */
  proposalBranchesMax: 10_000,
  /** Branches read at once: enough to keep the disk busy, few enough to leave file descriptors to sockets. */
  branchesReadAtOnceMax: 16,
  proposalIdsPerPullMax: 20,
  /** Of an id that a reviewer types in part: fewer characters are a slip of the keys. */
  proposalIdBeginningLengthMin: 6,
  reasonLengthMax: 1_000,
  titleLengthMax: 200,

  // HTTP, server side
  requestBodySizeBytesMax: 5 * 1024 * 1024,
  requestHeadersMax: 100,
  /** Request line and headers together, and the address alone: longest is a pull that names twenty proposals. */
  requestHeadersSizeBytesMax: 16 * 1024,
  requestTargetLengthMax: 8 * 1024,
  /** Longer than a long poll and a git child that thinks; a reader that has stopped reading ends here. */
  socketIdleTimeoutMs: 150_000,
  requestsPerSocketMax: 10_000,
  /** Tokens and addresses that the rate limits remember, least recent forgotten first. */
  rateLimitKeysMax: 10_000,
  /** The header with proposal outcomes: clients read 16 KiB of headers; outcomes past this are asked for one by one. */
  outcomesHeaderSizeBytesMax: 12 * 1024,
  requestTimeoutMs: 30_000,
  headersTimeoutMs: 10_000,
  keepAliveTimeoutMs: 72_000,
  connectionsMax: 2_000,
  /** Fastify's maxParamLength: a project segment or a key, percent-encoded. */
  paramLengthMax: 4_096,
  headWaitMsMax: 25_000,
  headWaitersMax: 5_000,
  requestsPerMinutePerToken: 1_200,
  requestsPerMinutePerAddress: 3_000,
  joinsPerMinutePerAddress: 10,
  /** One push to /git: a review merge, never a code base. */
  gitPushSizeBytesMax: 64 * 1024 * 1024,
  gitRequestTimeoutMs: 120_000,
  gitCommandsPerPushMax: 100,
  gitChildrenMax: 16,
  /** Between asking a git child to end and ending it. */
  gitEndGraceMs: 2_000,
  /** One allocation of a git child: a tree that claims gigabytes stops here. */
  gitAllocationSizeBytesMax: 256 * 1024 * 1024,

  // The service's memory
  snapshotsInMemoryMax: 64,
  responsesInMemoryMax: 256,
  /** Addresses of pulls that have been read: one a client and tree. */
  pollsInMemoryMax: 10_000,
  responsesInMemorySizeBytesMax: 128 * 1024 * 1024,
  blobsInMemorySizeBytesMax: 128 * 1024 * 1024,
  /** Entries of trees taken apart: a name and an id each. */
  treeEntriesInMemoryMax: 300_000,
  /** Files of all snapshots together: a key, an id and a face each. */
  snapshotFilesInMemoryMax: 500_000,
  /** Writes to the base waiting for their turn in this process. */
  writesWaitingMax: 2_000,

  // Git
  refLockWaitMs: 10_000,
  refLockStaleMs: 60_000,
  publishAttemptsMax: 12,
  publishBackoffMsMin: 5,
  publishBackoffMsMax: 500,
  refreshIntervalMs: 2_000,
  historyCommitsMax: 1_000_000,
  branchCommitsMax: 1_000,
  /** Making a folder again because native git has just removed it as empty. */
  gitFolderAttemptsMax: 20,
  /** Objects read or written at once: enough to keep the disk busy, few enough to leave file descriptors to sockets. */
  gitObjectsAtOnceMax: 16,
  /** One commit object: a message, not a book. */
  commitSizeBytesMax: 1024 * 1024,
  gitCommandTimeoutMs: 60_000,
  /** The child that reads packed objects goes after so long without a question. */
  gitReaderIdleMs: 10_000,
  gitCompactionTimeoutMs: 30 * 60_000,
  compactionIntervalMs: 60 * 60_000,
  /** Git itself packs at 6,700 loose objects and 50 packs; a backup and a cold start are faster with fewer. */
  gitLooseObjectsMax: 4_000,
  gitPacksMax: 50,
  /** An unfinished file this old is nobody's any more: longer than a push may take. */
  gitUnfinishedAgeMs: 5 * 60_000,
  gitOutputSizeBytesMax: 16 * 1024 * 1024,

  // A shared git remote (server/git/remote)
  /** Longer addresses are nobody's. */
  remoteUrlLengthMax: 2_048,
  /** A token as a file, a variable or a program gives it: the longest kinds are signed documents of 2 KiB. */
  remoteTokenLengthMax: 4_096,
  /** A program that gives the token may ask a vault over the network. */
  askpassTimeoutMs: 10_000,
  /** Nothing heard from the remote: hooks there may think for a while, and git keeps such connections alive. */
  remoteIdleTimeoutMs: 60_000,
  /** One request as a whole, the first fetch of a large memory included. */
  remoteRequestTimeoutMs: 5 * 60_000,
  /** The list of references: a hundred bytes a branch, and people's branches are in it too. */
  remoteListSizeBytesMax: 8 * 1024 * 1024,
  /** One pack from the remote; it is streamed to the disk, never held. */
  remotePackSizeBytesMax: 1024 * 1024 * 1024,
  /** What a push is answered, words of hooks included. */
  remoteReportSizeBytesMax: 256 * 1024,
  /** What is kept of the remote's words. */
  remoteWordsLengthMax: 500,
  /** Looks in a row at references that move meanwhile; the next poll goes on. */
  remoteLooksMax: 5,
  /** Connections to one remote: a push and a poll beside some waiting ones. */
  remoteSocketsMax: 4,
  /** Commits and folders read of a pack that has come, on a machine without git: about ten seconds. */
  remoteConnectedObjectsMax: 5_000,
  /** Remotes of one service, and patterns of projects of one: a person writes them. */
  remotesMax: 50,
  patternsPerRemoteMax: 500,
  configFileSizeBytesMax: 1024 * 1024,
  /** A start waits so long for a remote that other people's projects are not on; it goes on being tried. */
  remoteStartWaitMs: 5_000,
  remoteReopenIntervalMs: 10_000,
  /** Until a host answers by ssh, and between two signs of life, of which two may be missed. */
  sshConnectTimeoutSeconds: 15,
  sshSilenceSeconds: 15,
  /** Objects written here that no push has taken yet; of more, the oldest belong to attempts that were given up. */
  remoteUnsentObjectsMax: 200_000,
  /** References named to the remote as had, so that it sends only what is new. */
  remoteHavesMax: 256,
  /** Commits walked from a new base in search of the last good one. */
  remoteAncestryMax: 200_000,
  /** Proposals that wait for one base and go in one push: beyond it the push itself takes long. */
  writesTogetherMax: 50,
  /** Recorded of what is held back of the remote's base, and of what was accepted of it. */
  heldBasesMax: 500,
  acceptedBasesMax: 500,
  /** Revisions of rewritten bases that clients may still hold: of longer histories the newest, which are the likely ones. */
  replacedRevisionsMax: 5_000,

  // Webhooks (server/forge/webhooks)
  /** One delivery: a push of a thousand commits is shorter, and what a longer one tells, the poll finds. */
  webhookSizeBytesMax: 2 * 1024 * 1024,
  /** Those in use, and those that they take the place of. */
  webhookSecretsMax: 10,
  /** Deliveries that are known again: forges send one again within hours, and a busy team makes some thousands a day. */
  webhookDeliveriesMax: 10_000,
  webhookDeliveryIdLengthMax: 200,
  /** Where the time is signed: what two clocks may differ by. */
  webhookAgeMsMax: 5 * 60_000,
  /** Of one delivery, while a forge changes its key. */
  webhookSignaturesMax: 8,
  /** The rest between two looks that deliveries wake: far below the poll's, and no storm. */
  webhookLookIntervalMs: 250,

  // Forges (server/forge)
  forgeRequestTimeoutMs: 30_000,
  /** One page of pull requests with their texts. */
  forgeAnswerSizeBytesMax: 16 * 1024 * 1024,
  /** Of one list: more pull requests than a team ever has open. */
  forgePagesMax: 100,
  /** Where the forge asks for patience and does not say for how long, and the longest that it is believed. */
  forgePatienceMs: 60_000,
  forgePatienceMaxMs: 60 * 60_000,
  /** What github.com asks of those who write: it counts what makes notifications. */
  forgeWriteIntervalMs: 1_000,
  /** After a failure of which the forge does not say how long it lasts. */
  forgeFailureRestMs: 10_000,
  /** A look at the pull requests that nothing has woken. */
  forgeLookIntervalMs: 60_000,
  /** Two clocks, and the forge's own delay between a change and its list. */
  forgeClockSkewMs: 10 * 60_000,
  /** A look at the remote waits so long to hear what became of a proposal whose branch is gone. */
  forgeVerdictWaitMs: 10_000,
  /** Read again at each look: forges tell times by the second. */
  forgeListOverlapMs: 2_000,
  forgeUrlPollMs: 50,
  /** A proposal's answer waits so long for the address of its pull request. */
  forgeOpenWaitMs: 3_000,
  /** A forge that has just made a pull request may refuse to merge it for a while: tries, and the rest before each next. */
  forgeMergeAttemptsMax: 7,
  forgeMergeRestMs: 250,
  forgeTitleLengthMax: 200,
  /** Rows of a pull request's table, and the length of one cell: forges cut a body at 65,536 characters. */
  forgeBodyRowsMax: 100,
  forgeCellLengthMax: 160,
  forgeReviewersMax: 20,
  /** Proposals with a pull request each at one time, the oldest first; the others wait. */
  forgeOpenRequestsMax: 1_000,
  forgeCommentsMax: 100,

  // The data folder
  /** Rounds of looking and taking: each lost one means that somebody else started at the same moment. */
  dataFolderLockAttemptsMax: 20,
  /** A holder that cannot be seen (another container) and has not beaten for three heartbeats is gone. */
  dataFolderSilentMs: 15_000,
  /** Between two looks whether it beats. */
  dataFolderWatchMs: 500,
  /** From a signal to the end: requests under way are answered, then the process goes. */
  shutdownTimeoutMs: 10_000,
  /** Of that, for the requests, and for the look at a remote that may hang; between two looks for idle connections. */
  lastAnswersTimeoutMs: 7_000,
  lastLookTimeoutMs: 2_000,
  closeIdleIntervalMs: 50,
  /** Packing or unpacking a whole repository. */
  backupTimeoutMs: 30 * 60 * 1_000,
  /** What a backup or a restore left whose process cannot be seen: no disk takes so long to copy a repository. */
  unfinishedFolderAgeMs: 24 * 60 * 60 * 1_000,

  // People
  /** How long an answer about a token is believed before the state reference is looked at again. */
  peopleRecheckMs: 1_000,
  inviteLifetimeMs: 7 * 24 * 60 * 60 * 1_000,
  tokensPerPersonMax: 50,
  invitesMax: 1_000,
  /** That one clone could be about: its origin, its upstream, and room for more. */
  joinProjectsMax: 8,
  outcomesMax: 5_000,
  /** Closed proposals that are remembered, as JSON: the oldest go first. */
  outcomesSizeBytesMax: 4 * 1024 * 1024,
  /** A handful of kinds of state file exist; the rest is room for later formats. */
  stateFilesMax: 100,
  /** One state file is read and written whole: thousands of people and tokens stay far below this. */
  stateFileSizeBytesMax: 16 * 1024 * 1024,

  // HTTP, client side
  connectTimeoutMs: 5_000,
  /** Until a question is answered at all: a run that waits for the lock (lockWaitMs) outlasts one whose service hangs. */
  answerTimeoutMs: 10_000,
  /** Joining, when a person waits: the first question about a large project is answered once the service has read all of it. */
  joinTimeoutMs: 60_000,
  /** Ten sessions that a host starts at once begin within this: the first one's request is for all of them. */
  startedTogetherMs: 100,
  urlLengthMax: 2_048,
  etagLengthMax: 256,
  /** One question to one name server; they are asked twice. */
  nameServerTimeoutMs: 2_000,
  responseTimeoutMs: 30_000,
  /** The session-start hook's whole network share; the session waits no longer than hookTimeoutMs. */
  hookPullTimeoutMs: 1_500,
  hookTimeoutMs: 2_000,
  /** What placing one memory takes on a slow disk, with room to spare: more than there is time for is left for later. */
  placeMsPerMemory: 1,
  /** What the status waits for the one thing that it asks the service. */
  statusTimeoutMs: 2_000,
  /** A shorter answer fills one packet or two either way, and is sent as it is. */
  compressedSizeBytesMin: 2_048,
  responseSizeBytesMax: 64 * 1024 * 1024,
  errorBodySizeBytesMax: 64 * 1024,
  hookInputSizeBytesMax: 1024 * 1024,
  /** Hosts write it at once; on a busy machine it may still be on its way. */
  hookInputTimeoutMs: 1_000,
  /** How long the end of a turn waits for the link to what was just proposed; the process that proposes goes on. */
  turnEndWaitMs: 1_500,
  /** What the user is told at the end of a turn: a line or two of a terminal. */
  turnLineLengthMax: 400,
  /** Changes of one call of a host's tool: an agent writes a handful. */
  editsPerCallMax: 500,
  /** As many as an operating system follows in one path. */
  linksFollowedMax: 40,

  // The client's disk
  /** Head, marks, journal, caches: small files each, but for the marks of a project whose every key waits. */
  clientStateSizeBytesMax: 64 * 1024 * 1024,
  /** Damaged files of the local state that are named. */
  damagedFilesShownMax: 5,
  /** A proposal's texts, escaped as JSON. */
  outboxSizeBytesMax: 32 * 1024 * 1024,
  /** A file under team/ beyond this is no memory: it is named, and neither read nor moved. */
  localFileSizeBytesMax: 8 * 1024 * 1024,
  /** How long the disk may give two changes of a folder the same time. */
  folderTimeGrainMs: 20,
  /** How long a written file may wait for its way to the disk: what is younger may be empty after a crash. */
  flushDelayMs: 10 * 60 * 1_000,
  localFilesMax: 20_000,
  /** Files of this machine alone, each of which is looked at before a session; with more, everything is. */
  watchedFilesMax: 500,
  lockWaitMs: 20_000,
  lockStaleMs: 60 * 60 * 1_000,
  lockHeartbeatMs: 5_000,
  /** How long a replaced client's parts stay for one that still runs. */
  replacedClientAgeMsMax: 24 * 60 * 60 * 1_000,
  /** Of a place's folder below the user's state folder: file systems take 255 bytes, temporary files add some. */
  stateFolderNameLengthMax: 200,
  pristinePacksMax: 32,
  /** The attic: nobody looks for a replaced text after half a year, and a home folder has room for this much. */
  atticAgeMsMax: 180 * 24 * 60 * 60 * 1_000,
  atticSizeBytesMax: 100 * 1024 * 1024,
  atticTextsMax: 50_000,
  /** Looking through all of it takes longer than a pull may: once a day is often enough for bounds like these. */
  atticPruneIntervalMs: 24 * 60 * 60 * 1_000,
  /** Parked texts of one memory that are named at once: nobody compares more. */
  conflictTextsMax: 20,
  settingsFileSizeBytesMax: 4 * 1024 * 1024,
  /** Of the host's settings as JSON: they are read from the inside out. */
  settingsDepthMax: 100,
  /** What a user has joined: projects, services, roots; and one text among them, a path at most. */
  joinedMax: 1_000,
  joinedTextLengthMax: 4_096,
  /** The lock of a settings file is held for milliseconds: one this old was left by a kill. */
  settingsLockStaleMs: 10_000,
  settingsLockRetryMs: 25,
  /** A token that may not propose is tried again once a day, and after join. */
  forbiddenRetryMs: 24 * 60 * 60 * 1_000,
  /** Sets of one proposal that were sent without an answer: an outcome may be about any of them. */
  earlierSetsMax: 20,
  /** What is kept of a service's words on why it would not take a text. */
  refusalLengthMax: 500,
  /** Placing a key again because somebody wrote it meanwhile. */
  placeAttemptsMax: 5,
  /** A pull that removes more files than this, and more than half of them, is held until it is accepted. */
  removalsUnaskedMax: 5,
  gitConfigSizeBytesMax: 1024 * 1024,
  /** A `.git` file and its like hold one path. */
  gitPointerSizeBytesMax: 16 * 1024,
  /** Git says who the user is, once, when joining. */
  gitIdentityTimeoutMs: 2_000,
  /** Looked through for one name; a larger index counts as naming it. */
  gitIndexSizeBytesMax: 64 * 1024 * 1024,
  parentFoldersMax: 100,

  // What a session is told: a host cuts a hook entry at 10,000 characters
  hookEntryCharactersMax: 9_500,
  hookEntries: 2,
  /** Of the first entry, for the state and the news: they differ between the processes that make the two. */
  hookNewsCharactersMax: 1_500,
  /** A reason, a note, the keys that are new; how many notes; and how many keys. Together they stay within that. */
  hookLineLengthMax: 200,
  hookNotesMax: 3,
  hookKeysNamedMax: 10,
  /** What the host is told; our own bounds fall long before. */
  hookEntryTimeoutSeconds: 10,
} as const;
