------------------------------ MODULE JobLeases ------------------------------
(* Jobs, their messages and their leases.                                     *)
(*                                                                            *)
(* Modelled code:                                                             *)
(*   Send, LoseMessages  relay.send_due, relay.resend_lost_jobs,              *)
(*                       cross_team.select_due_jobs                           *)
(*   Take                job_execution.run_next, cross_team.claim_next_job    *)
(*   Renew, Expire...    job_context._renew_lease, cross_team.renew_lease     *)
(*   Write               job_context.writing                                  *)
(*   Finish, Fail        job_context.finishing, failing                       *)
(*   Retry, Wait         job_context.postpone, counted as an attempt or not   *)
(*   Cancel              jobs.service: cancel_requested                       *)
(*                                                                            *)
(* Time is not modelled: a lease may expire at any moment, also while its     *)
(* worker is alive but slow. Faults are limited in number, so that a job that *)
(* never ends is a defect of the protocol.                                    *)
EXTENDS Naturals, FiniteSets

CONSTANTS
    Jobs, Workers,
    Nobody,
    MaxFaults,      \* deaths, lost messages, leases that expire too early, failures that pass: all together
    MaxAttempts,
    MaxMessages,    \* of one job in the broker at a time
    ChecksFence,    \* FALSE: writes are not checked by the fencing token. Must be found.
    SendsAgain      \* FALSE: jobs whose lease expired are not sent again. Must be found.

Final == {"done", "failed", "cancelled"}
Idle == [job |-> Nobody, fence |-> 0, stop |-> FALSE]

VARIABLES
    state,          \* state of each job's row
    fence,          \* job.fencing_token
    attempts,       \* job.attempts
    leased,         \* whether lease_expires_at is in the future
    stopping,       \* job.cancel_requested
    messages,       \* messages of each job in the broker
    work,           \* what each worker believes to hold: a job and its fencing token
    effects,        \* how often each job's result was recorded
    late,           \* whether a worker wrote after another had claimed its job
    faults

vars == <<state, fence, attempts, leased, stopping, messages, work, effects, late, faults>>

Holds(w, j) == work[w].job = j /\ work[w].fence = fence[j] /\ state[j] = "running"
Orphaned(j) == state[j] = "running" /\ \A w \in Workers : ~Holds(w, j)
Lost(j) == state[j] = "running" /\ ~leased[j]
Fault == faults < MaxFaults /\ faults' = faults + 1

Init ==
    /\ state = [j \in Jobs |-> "waiting"]
    /\ fence = [j \in Jobs |-> 0]
    /\ attempts = [j \in Jobs |-> 0]
    /\ leased = [j \in Jobs |-> FALSE]
    /\ stopping = [j \in Jobs |-> FALSE]
    /\ messages = [j \in Jobs |-> 0]
    /\ work = [w \in Workers |-> Idle]
    /\ effects = [j \in Jobs |-> 0]
    /\ late = FALSE
    /\ faults = 0

(* The relay ---------------------------------------------------------------- *)

Send(j) ==
    /\ state[j] = "waiting" \/ (SendsAgain /\ Lost(j))
    /\ messages[j] < MaxMessages
    /\ messages' = [messages EXCEPT ![j] = @ + 1]
    /\ UNCHANGED <<state, fence, attempts, leased, stopping, work, effects, late, faults>>

LoseMessages ==
    /\ Fault
    /\ \E j \in Jobs : messages[j] > 0
    /\ messages' = [j \in Jobs |-> 0]
    /\ UNCHANGED <<state, fence, attempts, leased, stopping, work, effects, late>>

(* The worker --------------------------------------------------------------- *)

Claim(w, j) ==
    /\ state' = [state EXCEPT ![j] = "running"]
    /\ fence' = [fence EXCEPT ![j] = @ + 1]
    /\ attempts' = [attempts EXCEPT ![j] = @ + 1]
    /\ leased' = [leased EXCEPT ![j] = TRUE]
    /\ work' = [work EXCEPT ![w] = [job |-> j, fence |-> fence[j] + 1, stop |-> stopping[j]]]

(* A message names a job, but only a lost job is claimed by its name: else the next by fair share. *)
Take(w, hint) ==
    /\ work[w] = Idle
    /\ messages[hint] > 0
    /\ messages' = [messages EXCEPT ![hint] = @ - 1]
    /\ IF Lost(hint) THEN Claim(w, hint)
       ELSE IF \E j \in Jobs : state[j] = "waiting"
            THEN \E j \in Jobs : state[j] = "waiting" /\ Claim(w, j)
            ELSE UNCHANGED <<state, fence, attempts, leased, work>>
    /\ UNCHANGED <<stopping, effects, late, faults>>

(* An expired lease is renewed as well, unless the job was claimed again. *)
Renew(w) ==
    /\ \E j \in Jobs :
        /\ Holds(w, j)
        /\ ~leased[j] \/ work[w].stop # stopping[j]
        /\ leased' = [leased EXCEPT ![j] = TRUE]
        /\ work' = [work EXCEPT ![w].stop = stopping[j]]
    /\ UNCHANGED <<state, fence, attempts, stopping, messages, effects, late, faults>>

(* A commit of a worker changes rows only if it still holds the job; else it ends with LeaseLost. *)
MayWrite(w, j) == work[w].job = j /\ (~ChecksFence \/ Holds(w, j))

End(w, j, how) ==
    /\ state' = [state EXCEPT ![j] = how]
    /\ leased' = [leased EXCEPT ![j] = FALSE]
    /\ work' = [work EXCEPT ![w] = Idle]
    /\ late' = (late \/ ~Holds(w, j))

Write(w) ==
    /\ \E j \in Jobs : MayWrite(w, j) /\ late' = (late \/ ~Holds(w, j))
    /\ UNCHANGED <<state, fence, attempts, leased, stopping, messages, work, effects, faults>>

Finish(w) ==
    /\ \E j \in Jobs :
        /\ MayWrite(w, j)
        /\ attempts[j] <= MaxAttempts
        /\ End(w, j, "done")
        /\ effects' = [effects EXCEPT ![j] = @ + 1]
    /\ UNCHANGED <<fence, attempts, stopping, messages, faults>>

(* Cancelled, or its worker died too often, or it failed for good. *)
Fail(w) ==
    /\ \E j \in Jobs :
        /\ MayWrite(w, j)
        /\ \/ work[w].stop /\ End(w, j, "cancelled")
           \/ ~work[w].stop /\ attempts[j] >= MaxAttempts /\ End(w, j, "failed")
    /\ UNCHANGED <<fence, attempts, stopping, messages, effects, faults>>

Pause(w, counted) ==
    /\ Fault
    /\ \E j \in Jobs :
        /\ MayWrite(w, j)
        /\ counted => attempts[j] < MaxAttempts
        /\ End(w, j, "waiting")
        /\ attempts' = [attempts EXCEPT ![j] = IF counted THEN @ ELSE @ - 1]
    /\ UNCHANGED <<fence, stopping, messages, effects>>

Retry(w) == Pause(w, TRUE)
Wait(w) == Pause(w, FALSE)

GiveUp(w) ==
    /\ \E j \in Jobs : work[w].job = j /\ ~MayWrite(w, j)
    /\ work' = [work EXCEPT ![w] = Idle]
    /\ UNCHANGED <<state, fence, attempts, leased, stopping, messages, effects, late, faults>>

(* Faults and users --------------------------------------------------------- *)

Die(w) ==
    /\ Fault
    /\ work[w] # Idle
    /\ work' = [work EXCEPT ![w] = Idle]
    /\ UNCHANGED <<state, fence, attempts, leased, stopping, messages, effects, late>>

ExpireOrphaned(j) ==
    /\ Orphaned(j) /\ leased[j]
    /\ leased' = [leased EXCEPT ![j] = FALSE]
    /\ UNCHANGED <<state, fence, attempts, stopping, messages, work, effects, late, faults>>

ExpireEarly(j) ==
    /\ Fault
    /\ state[j] = "running" /\ leased[j] /\ ~Orphaned(j)
    /\ leased' = [leased EXCEPT ![j] = FALSE]
    /\ UNCHANGED <<state, fence, attempts, stopping, messages, work, effects, late>>

Cancel(j) ==
    /\ state[j] \notin Final /\ ~stopping[j]
    /\ stopping' = [stopping EXCEPT ![j] = TRUE]
    /\ UNCHANGED <<state, fence, attempts, leased, messages, work, effects, late, faults>>

Next ==
    \/ LoseMessages
    \/ \E j \in Jobs : Send(j) \/ ExpireOrphaned(j) \/ ExpireEarly(j) \/ Cancel(j)
    \/ \E w \in Workers :
        \/ \E j \in Jobs : Take(w, j)
        \/ Renew(w) \/ Write(w) \/ Finish(w) \/ Fail(w) \/ Retry(w) \/ Wait(w) \/ GiveUp(w) \/ Die(w)

(* The relay sends, leases of dead workers expire, and each worker ends what it does and takes messages. *)
Fairness ==
    /\ \A j \in Jobs :
        /\ WF_vars(Send(j))
        /\ WF_vars(ExpireOrphaned(j))
        /\ SF_vars(\E w \in Workers : Take(w, j))
    /\ \A w \in Workers : WF_vars(Finish(w) \/ Fail(w)) /\ WF_vars(GiveUp(w))

Spec == Init /\ [][Next]_vars /\ Fairness

(* What must hold ------------------------------------------------------------ *)

OneHolder == \A j \in Jobs : Cardinality({w \in Workers : Holds(w, j)}) <= 1
OnlyTheHolderWrites == ~late
NoEffectTwice == \A j \in Jobs : effects[j] = (IF state[j] = "done" THEN 1 ELSE 0)
OrphansAreTakenUp == \A j \in Jobs : Orphaned(j) ~> ~Orphaned(j)
EveryJobEnds == \A j \in Jobs : <>[](state[j] \in Final)
==============================================================================
