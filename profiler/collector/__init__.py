"""The collector: sends host metrics and profiles of trainings to the service over gRPC.

In the training process (`attached.py`, standard library only) blocks of recordings are put into a spool on disk. A
process beside it (`beside.py`, `courier.py`) adds metrics, sends everything, and brings back wishes of people. The
service's side is `endpoint/`. What both say to each other stands in `collector.proto`.
"""
