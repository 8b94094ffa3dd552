/* The protocol of thread_pool.hpp as a model for Spin, which tries all interleavings: `make model`.
 *
 * To be read beside thread_pool.hpp. Names are the same, and one atomic operation there is one step here.
 * A caller runs PHASES phases on a pool of MEMBERS, itself included, with any size and number of
 * tasks. Anybody may be late at any step, for any time: a helper that is not started yet, or has no
 * core, is one that takes no step.
 *
 * What is checked, with the numbers of the invariants in thread_pool.hpp:
 *
 *   1. Whoever runs a task is a member of its phase.
 *   2. What it runs (call and task, and k, made of n_tasks and size) belongs to that phase.
 *   3. Every task is run once, and while its phase is open: until the caller has waited for it.
 *   4. The caller gets through all phases: in no state everybody waits before it has. No state comes
 *      twice in a run (`pan -l`), so nobody goes round in circles either.
 *
 * Three forms, as the one with everything is too large for many phases:
 *
 *   (none)   all of it
 *   -DFREE   Helpers never sleep; they find that there is a phase at any time after it was dealt.
 *            That is all that sleep and bells can do to claims, so 1 ... 3 of this form are those
 *            of the whole.
 *   -DOWN    Members run only their own tasks, all in one step, as if nobody else were ever in
 *            time. So a helper that is not woken is missed, and 4 says that no wake-up is lost.
 *
 * What is left out. Steps happen here in one order, which all see. A relaxed load of a phase word
 * may see that of a later phase, as the caller may have gone on; what memory orders allow beyond
 * that is argued in thread_pool.hpp, and watched by ThreadSanitizer (fuzz/phases.cpp, `make tsan`). Tasks do
 * not throw, processes do not fork, and numbers do not wrap around. An exchange that fails loads
 * again in a step of its own.
 *
 * A model that finds nothing may look for nothing. Each of these is wrong, and must be found:
 *
 *   -DOLD    a claim takes a task from any word that has one, whatever its phase
 *   -DSPLIT  a claim is a load and a store, not an exchange
 *   -DLATE   the phase words are written after the tasks were dealt
 *   -DRESET  finished_ is set to 0 after the tasks were dealt
 *   -DEARLY  the caller does not wait for tasks that others have claimed
 *   -DSLEEP  the caller sleeps on a value of finished_ that it has not looked at
 *   -DHASTY  a helper looks whether the caller sleeps before it adds to finished_
 *   -DDEAF   a helper does not look at its word again before it sleeps (with -DOWN)
 *   -DROUND  a helper does not remember the phase that it has been in: it goes round in circles
 *   -DSLOW   whoever wakes a helper writes asleep after it has rung (with -DOWN)
 *   -DUP     tasks are dealt in rising order of members (with -DOWN, and four members)
 */
#ifndef MEMBERS
#define MEMBERS 3
#endif
#ifndef PHASES
#define PHASES 2
#endif
#ifndef EXTRA
#define EXTRA 1 /* a phase has as many tasks as members, or up to so many more */
#endif

/* The phase words. What is called, and on what, is the number of the phase that it belongs to. */
byte call_, task_, n_tasks_, size_ = 1;
byte finished_;
bit caller_asleep_;
byte word[MEMBERS];
bit asleep[MEMBERS];
byte bell[MEMBERS];
/* Who is in the kernel until notified: helpers for their bells, the caller for finished_. */
bit in_futex[MEMBERS];

/* For assertions only: the phase that is open, or 0, and its tasks as bits. */
byte open, open_size, open_n_tasks, begun, ended;

/* In the upper half of a word the number of the phase, in the lower the tasks left. */
#define word_of(phase, left) ((phase) << 4 | (left))
#define phase_of(word) ((word) >> 4)
#ifdef OLD
#define left_in(word, phase) ((word) & 15)
#else
#define left_in(word, phase) (phase_of(word) == (phase) -> (word) & 15 : 0)
#endif
#define dealt(n_tasks, size, member) (((n_tasks) - (member) + (size) - 1) / (size))
#define notify(member) in_futex[member] = 0

/* Local variables of caller and helpers. They are set to 0 when they are of no more use, so that
 * states which differ in nothing else are one. */
#define LOCALS \
  byte self = _pid, done; \
  byte around, turn, member; /* `around` is `size` of work() and wake_next_to() */ \
  byte seen, call, task, n_tasks, size, k

/* The member whose word it is the turn of. */
#define from (self + turn < around -> self + turn : self + turn - around)

inline wake(member) {
  if
  :: asleep[member] == 0
  :: else ->
#ifndef SLOW
     asleep[member] = 0;
#endif
     bell[member]++;
     notify(member);
#ifdef SLOW
     asleep[member] = 0
#endif
  fi
}

inline wake_next_to(self, phase) {
  atomic { around = size_; member = 2 * self + 1 };
  do
  :: member <= 2 * self + 2 && member < around ->
     if
     :: left_in(word[member], phase) > 0 -> wake(member)
     :: else
     fi;
     member++
  :: else -> break
  od;
  around = 0; member = 0
}

/* A task takes time: others may see it begun and not ended. */
inline begin_task() {
  assert(phase_of(seen) == open);                                  /* 3 */
  assert(self < open_size);                                        /* 1 */
  assert(call == open && task == open);                            /* 2 */
  assert(n_tasks == open_n_tasks && size == open_size);            /* 2 */
  k = from + (dealt(n_tasks, size, from) - (seen & 15)) * size;
  assert(k < open_n_tasks);                                        /* 2 */
  assert(!(begun & 1 << k));                                       /* 3 */
  begun = begun | 1 << k;
  call = 0; task = 0; n_tasks = 0; size = 0
}
inline end_task() {
  assert(phase_of(seen) == open);                                  /* 3 */
  ended = ended | 1 << k;
  seen = 0; k = 0
}

/* work(), with claim_and_run() in it; counts in `done`. */
#define is_round (turn == around)
#ifdef SPLIT
#define is_as_seen true
#else
#define is_as_seen (word[from] == seen)
#endif
inline work(phase) {
#ifdef OWN
  atomic {
    do
    :: left_in(word[self], phase) > 0 ->
       seen = word[self]; call = call_; task = task_; n_tasks = n_tasks_; size = size_;
       around = size;
       word[self] = seen - 1; begin_task(); end_task(); done++
    :: else -> break
    od
  }
#else
  around = size_;
  do
  :: is_round -> break
  :: atomic { !is_round && left_in(word[from], phase) == 0 -> turn++ }
  :: atomic { !is_round && left_in(word[from], phase) > 0 -> seen = word[from] };
     call = call_;
     task = task_;
     n_tasks = n_tasks_;
     size = size_;
     if /* compare and exchange */
     :: d_step { is_as_seen -> word[from] = seen - 1; begin_task() };
        d_step { end_task(); done++ }
     :: d_step { !is_as_seen -> seen = 0; call = 0; task = 0; n_tasks = 0; size = 0 }
     fi
  od;
  around = 0; turn = 0
#endif
}

inline write_phase_words() {
  call_ = number;
  task_ = number;
  n_tasks_ = phase_n_tasks;
  size_ = phase_size
}

inline deal() {
#ifdef UP
  for (member : 0 .. phase_size - 1) {
    word[member] = word_of(number, dealt(phase_n_tasks, phase_size, member))
  }
#else
  member = phase_size;
  do
  :: member > 0 ->
     atomic {
       member--;
       word[member] = word_of(number, dealt(phase_n_tasks, phase_size, member))
     }
  :: else -> break
  od
#endif
  member = 0
}

/* Waits until the helpers have finished that number of tasks. */
inline wait_for(n_tasks) {
  if
  :: finished_ == n_tasks /* seen while it spins */
  :: true ->
     caller_asleep_ = 1;
     do
     :: finished = finished_;
        if
        :: finished == n_tasks -> break
        :: else
        fi;
#ifdef SLEEP
        finished = finished_;
#endif
        do /* finished_.wait(finished) */
        :: atomic { finished_ == finished -> in_futex[0] = 1 };
           in_futex[0] == 0
        :: finished_ != finished -> break
        od
     od;
     finished = 0;
     caller_asleep_ = 0
  fi
}

/* The phase before is closed, and one of any kind is opened. */
inline close() {
  assert(ended == (1 << open_n_tasks) - 1);                        /* 3 */
  open = 0; open_size = 0; open_n_tasks = 0; begun = 0; ended = 0
}
inline choose() {
  phase_size = 1;
  do
  :: phase_size < MEMBERS -> phase_size++
  :: break
  od;
  phase_n_tasks = phase_size;
  do
  :: phase_n_tasks < phase_size + EXTRA -> phase_n_tasks++
  :: break
  od;
  number++;
  open = number; open_size = phase_size; open_n_tasks = phase_n_tasks
}

active proctype caller() { /* run(), again and again */
  LOCALS;
  byte number, phase_size, phase_n_tasks, finished;
  do
  :: atomic { number < PHASES -> close(); choose() };
#ifndef LATE
     write_phase_words();
#endif
#ifndef RESET
     finished_ = 0;
#endif
     deal();
#ifdef LATE
     write_phase_words();
#endif
#ifdef RESET
     finished_ = 0;
#endif
#ifndef FREE
     wake_next_to(0, number);
#endif
     work(number);
#ifndef EARLY
     wait_for(phase_n_tasks - done);
#endif
     done = 0
  :: atomic { number == PHASES -> close(); break }
  od
}

#ifdef ROUND
#define is_new(word) (phase_of(word) != 0)
#else
#define is_new(word) (phase_of(word) != phase)
#endif
inline enter_phase() {
  atomic { is_new(word[self]) -> phase = phase_of(word[self]) }
}
inline leave_if_new() {
  if
  :: enter_phase(); break
  :: !is_new(word[self])
  fi
}
inline next_phase() {
#ifdef FREE
  enter_phase()
#else
  if
  :: enter_phase() /* while it spins */
  :: true ->
     do
     :: rung = bell[self];
        asleep[self] = 1;
#ifndef DEAF
        leave_if_new();
#endif
        do /* bell.wait(rung) */
        :: atomic { bell[self] == rung -> in_futex[self] = 1 };
end_asleep:
           in_futex[self] == 0
        :: bell[self] != rung -> break
        od
#ifdef DEAF
        leave_if_new()
#endif
     od;
     rung = 0;
     asleep[self] = 0
  fi
#endif
}

active [MEMBERS - 1] proctype helper() { /* serve() */
  LOCALS;
  byte phase, rung;
  bit is_asleep;
end_of_phase:
  next_phase();
#ifndef FREE
  wake_next_to(self, phase);
#endif
  work(phase);
  if
  :: done == 0
  :: else ->
#ifdef HASTY
     is_asleep = caller_asleep_;
     finished_ = finished_ + done;
#else
     finished_ = finished_ + done;
     is_asleep = caller_asleep_;
#endif
     done = 0;
     if
     :: is_asleep -> notify(0); is_asleep = 0
     :: else
     fi
  fi;
  goto end_of_phase
}
