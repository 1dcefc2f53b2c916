---------------------------- MODULE ProbeLifecycle ----------------------------
(* Probes of one runner name with one slot, on two machines.                   *)
(*                                                                             *)
(* Modelled code:                                                              *)
(*   Lease            probe_leases.lease_probes, runner._lease                 *)
(*   Announce         probe_lifecycle._announce_deployment                     *)
(*   Begin ... Restore, End                                                    *)
(*                    probe_lifecycle, run_store (each step is on disk first)  *)
(*   Hear             heartbeat._send, probe_reports.record_heartbeat          *)
(*   End (server)     probe_reports.record_probe_result                        *)
(*   Stop             search_steps.stop_probe, invalidate_probe,               *)
(*                    bisect_monitor.monitor_bisect (lost)                     *)
(*   Register, TakeName, Leave, CleanUp                                        *)
(*                    runners.register_runner, release_runner,                 *)
(*                    runner._remove_orphans                                   *)
(*                                                                             *)
(* Drivers are those whose deployments only their machine can remove. Time is  *)
(* not modelled: a runner may be silent for any time at any moment.            *)
EXTENDS Naturals, FiniteSets

CONSTANTS
    Probes, Machines,
    Nobody,
    MaxFaults,      \* crashes, lost responses, names taken over, shutdowns: all together
    Announces,      \* FALSE: deploys without the server's acknowledgment. Must be found.
    RenewsRuns,     \* FALSE: a probe that is queued again has the run ID of its former lease. Must be found.
    OffersStopped,  \* FALSE: a probe stopped before its lease arrived is not offered again. Must be found.
    RemovesFirst    \* FALSE: the end is reported before the deployment is removed. Must be found.

Open == {"leased", "deploying", "deployed", "ending"}
Held == {"leased", "underway", "stopping"}

VARIABLES
    state,          \* of each probe: queued, leased, underway, stopping (also lost and invalidated), over (ended_at is set)
    run,            \* the run ID of each probe: its generation
    holder,         \* the machine whose process has the name (runner.instance), or Nobody
    mode,           \* of each machine's process: down, starting, cleaning, working
    disk,           \* phase of each machine's record of each probe
    record,         \* run ID in that record
    acknowledged,   \* in memory: the server accepted the phase deploying
    aborted,        \* in memory: the probe must stop
    deployed,       \* machines on which each probe's deployment runs
    deployments,    \* how many deployments of each probe were begun
    replaced,       \* machines that once lost the name to another
    faults

vars == <<state, run, holder, mode, disk, record, acknowledged, aborted, deployed, deployments, replaced, faults>>
server == <<state, run, holder, replaced>>
memory == <<acknowledged, aborted>>
outside == <<deployed, deployments>>

Fault == faults < MaxFaults /\ faults' = faults + 1
Taken == {p \in Probes : state[p] \in Held}
Working(m) == {p \in Probes : disk[m][p] \in Open}
Knows(m, p) == record[m][p] = run[p] /\ disk[m][p] # "none"
Put(f, m, p, value) == [f EXCEPT ![m][p] = value]

Init ==
    /\ state = [p \in Probes |-> "queued"]
    /\ run = [p \in Probes |-> 1]
    /\ holder = Nobody
    /\ mode = [m \in Machines |-> "down"]
    /\ disk = [m \in Machines |-> [p \in Probes |-> "none"]]
    /\ record = [m \in Machines |-> [p \in Probes |-> 0]]
    /\ acknowledged = [m \in Machines |-> [p \in Probes |-> FALSE]]
    /\ aborted = [m \in Machines |-> [p \in Probes |-> FALSE]]
    /\ deployed = [p \in Probes |-> {}]
    /\ deployments = [p \in Probes |-> 0]
    /\ replaced = {}
    /\ faults = 0

(* Queue again what was leased, but not acknowledged. *)
Requeue ==
    /\ state' = [p \in Probes |-> IF state[p] = "leased" THEN "queued" ELSE state[p]]
    /\ run' = [p \in Probes |-> IF state[p] = "leased" /\ RenewsRuns THEN run[p] + 1 ELSE run[p]]

(* A process and its name ----------------------------------------------------- *)

Start(m) ==
    /\ mode[m] = "down"
    /\ mode' = [mode EXCEPT ![m] = "starting"]
    /\ UNCHANGED <<server, disk, record, memory, outside, faults>>

Register(m) ==
    /\ mode[m] = "starting" /\ holder \in {m, Nobody}
    /\ holder' = m
    /\ mode' = [mode EXCEPT ![m] = "cleaning"]
    /\ UNCHANGED <<state, run, replaced, disk, record, memory, outside, faults>>

TakeName(m) ==
    /\ Fault
    /\ mode[m] = "starting" /\ holder \notin {m, Nobody}
    /\ replaced' = replaced \cup {holder}
    /\ holder' = m
    /\ mode' = [mode EXCEPT ![m] = "cleaning"]
    /\ Requeue
    /\ UNCHANGED <<disk, record, memory, outside>>

(* The server assigns a probe to this name of which this machine has no record. *)
CleanUp(m) ==
    /\ mode[m] = "cleaning" /\ holder = m
    /\ LET orphans == {p \in Probes : state[p] \in {"underway", "stopping"} /\ ~(Knows(m, p) /\ disk[m][p] \in Open)}
       IN IF orphans = {}
          THEN mode' = [mode EXCEPT ![m] = "working"] /\ UNCHANGED <<state, deployed>>
          ELSE /\ \E p \in orphans :
                    /\ deployed' = [deployed EXCEPT ![p] = @ \ {m}]
                    /\ state' = [state EXCEPT ![p] = "over"]
               /\ UNCHANGED mode
    /\ UNCHANGED <<run, holder, replaced, disk, record, memory, deployments, faults>>

Crash(m) ==
    /\ Fault
    /\ mode[m] # "down"
    /\ mode' = [mode EXCEPT ![m] = "down"]
    /\ acknowledged' = [acknowledged EXCEPT ![m] = [p \in Probes |-> FALSE]]
    /\ aborted' = [aborted EXCEPT ![m] = [p \in Probes |-> FALSE]]
    /\ UNCHANGED <<server, disk, record, outside>>

(* A runner that is stopped with nothing open releases its name, unless the server has a begun probe of it. *)
Leave(m) ==
    /\ Fault
    /\ mode[m] = "working" /\ Working(m) = {} /\ holder = m
    /\ mode' = [mode EXCEPT ![m] = "down"]
    /\ IF \E p \in Taken : state[p] # "leased"
       THEN UNCHANGED <<state, run, holder>>
       ELSE Requeue /\ holder' = Nobody
    /\ UNCHANGED <<replaced, disk, record, memory, outside>>

(* A probe --------------------------------------------------------------------- *)

Receive(m, p) ==
    IF record[m][p] = run[p] /\ disk[m][p] = "forgotten"
    THEN UNCHANGED <<disk, record, acknowledged, aborted>>
    ELSE /\ disk' = Put(disk, m, p, "leased")
         /\ record' = Put(record, m, p, run[p])
         /\ acknowledged' = Put(acknowledged, m, p, FALSE)
         /\ aborted' = Put(aborted, m, p, FALSE)

MayLease(m) == mode[m] = "working" /\ holder = m /\ Working(m) = {}

Offered == {p \in Probes : state[p] = "leased" \/ (OffersStopped /\ state[p] = "stopping")}

Lease(m) ==
    /\ MayLease(m)
    /\ \/ /\ Taken = {}
          /\ \E p \in Probes :
              /\ state[p] = "queued"
              /\ state' = [state EXCEPT ![p] = "leased"]
              /\ Receive(m, p)
       \/ \E p \in Offered :
              /\ Receive(m, p)
              \* Ended here, but not yet reported: its end is reported at once.
              /\ state' = IF record[m][p] = run[p] /\ disk[m][p] = "forgotten"
                          THEN [state EXCEPT ![p] = "over"] ELSE state
    /\ UNCHANGED <<run, holder, replaced, mode, outside, faults>>

LoseResponse(m) ==
    /\ Fault
    /\ MayLease(m) /\ Taken = {}
    /\ \E p \in Probes : state[p] = "queued" /\ state' = [state EXCEPT ![p] = "leased"]
    /\ UNCHANGED <<run, holder, replaced, mode, disk, record, memory, outside>>

(* What a heartbeat of this machine is answered. *)
Continues(m, p) == holder = m /\ record[m][p] = run[p] /\ state[p] \in {"leased", "underway"}

Announce(m, p) ==
    /\ mode[m] # "down" /\ disk[m][p] = "leased" /\ ~aborted[m][p] /\ ~acknowledged[m][p]
    /\ IF Continues(m, p)
       THEN /\ state' = [state EXCEPT ![p] = "underway"]
            /\ acknowledged' = Put(acknowledged, m, p, TRUE)
            /\ UNCHANGED aborted
       ELSE aborted' = Put(aborted, m, p, TRUE) /\ UNCHANGED <<state, acknowledged>>
    /\ UNCHANGED <<run, holder, replaced, mode, disk, record, outside, faults>>

Hear(m, p) ==
    /\ mode[m] # "down" /\ disk[m][p] \in Open \ {"ending"} /\ ~aborted[m][p]
    /\ ~Continues(m, p)
    /\ aborted' = Put(aborted, m, p, TRUE)
    /\ UNCHANGED <<server, mode, disk, record, acknowledged, outside, faults>>

Step(m, p, from, to) ==
    /\ mode[m] # "down" /\ disk[m][p] = from
    /\ disk' = Put(disk, m, p, to)
    /\ UNCHANGED <<server, mode, record, memory, outside, faults>>

Begin(m, p) == ~aborted[m][p] /\ (acknowledged[m][p] \/ ~Announces) /\ Step(m, p, "leased", "deploying")
RecordHandle(m, p) == m \in deployed[p] /\ Step(m, p, "deploying", "deployed")
Measured(m, p) == Step(m, p, "deployed", "ending")
Abort(m, p) == aborted[m][p] /\ \E from \in Open \ {"ending"} : Step(m, p, from, "ending")

Deploy(m, p) ==
    /\ mode[m] # "down" /\ disk[m][p] = "deploying" /\ ~aborted[m][p] /\ m \notin deployed[p]
    /\ deployed' = [deployed EXCEPT ![p] = @ \cup {m}]
    /\ deployments' = [deployments EXCEPT ![p] = @ + 1]
    /\ UNCHANGED <<server, mode, disk, record, memory, faults>>

Restore(m, p) ==
    /\ mode[m] # "down" /\ disk[m][p] = "ending" /\ m \in deployed[p]
    /\ deployed' = [deployed EXCEPT ![p] = @ \ {m}]
    /\ UNCHANGED <<server, mode, disk, record, memory, deployments, faults>>

(* Any process that knows the run ID may report its end; a probe that is not leased rejects it. *)
End(m, p) ==
    /\ mode[m] # "down" /\ disk[m][p] = "ending" /\ (RemovesFirst => ~(m \in deployed[p]))
    /\ state' = IF record[m][p] = run[p] /\ state[p] \in Held THEN [state EXCEPT ![p] = "over"] ELSE state
    /\ disk' = Put(disk, m, p, "forgotten")
    /\ UNCHANGED <<run, holder, replaced, mode, record, memory, outside, faults>>

(* A user, a decision of the search, or a lease that expired. *)
Stop(p) ==
    /\ state[p] \in {"queued", "leased", "underway"}
    /\ state' = [state EXCEPT ![p] = IF @ = "queued" THEN "over" ELSE "stopping"]
    /\ UNCHANGED <<run, holder, replaced, mode, disk, record, memory, outside, faults>>

Advance(m) ==
    \/ Start(m) \/ Register(m) \/ CleanUp(m) \/ Lease(m)
    \/ \E p \in Probes :
        \/ Announce(m, p) \/ Hear(m, p) \/ Begin(m, p) \/ Deploy(m, p) \/ RecordHandle(m, p) \/ Measured(m, p)
        \/ Abort(m, p) \/ Restore(m, p) \/ End(m, p)

Next ==
    \/ \E m \in Machines : Advance(m) \/ TakeName(m) \/ Crash(m) \/ Leave(m) \/ LoseResponse(m)
    \/ \E p \in Probes : Stop(p)

Spec == Init /\ [][Next]_vars /\ \A m \in Machines : WF_vars(Advance(m))

(* What must hold -------------------------------------------------------------- *)

OneProbePerSlot == Cardinality(Taken) <= 1
NotDeployedTwice == \A p \in Probes : deployments[p] <= 1
(* Only on a machine that lost the name while it was silent; it removes it when it is back. *)
EndedMeansRemoved == \A p \in Probes : state[p] = "over" => deployed[p] \subseteq replaced
EveryProbeEnds == \A p \in Probes : <>[](state[p] = "over")
NothingIsLeft == \A p \in Probes : <>[](deployed[p] = {})
===============================================================================
