"""A trace of any size as torch.profiler writes it of a training on a GPU."""

from __future__ import annotations

import random
from pathlib import Path

_STEPS = 8  # at every size: the peer's time grows with steps times events
_OPERATORS = (
    "linear",
    "addmm",
    "mul",
    "add",
    "layer_norm",
    "softmax",
    "bmm",
    "gelu",
    "dropout",
    "copy_",
    "view",
    "cat",
)
_KERNELS = (
    "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, at::detail::Array<char*, 3> >"
    "(int, at::native::AddFunctor<float>, at::detail::Array<char*, 3>)",
    "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn",
    "void (anonymous namespace)::softmax_warp_forward<float, float, float, 8, false, false>(float*, float const*, int)",
    "sm80_xmma_gemm_f16f16_f16f32_f32_nn_n_tilesize128x128x32_stage4",
)
_COLLECTIVE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)"
_PROCESS = 1000
_LAYER_BYTES = 14_000


def write_trace(path: Path, megabytes: int) -> int:
    """Writes a file of about that size; returns how many slices are in it. The same size gives the same file."""
    writing = _Writing(random.Random(megabytes))
    layers = max(1, megabytes * 1_000_000 // _STEPS // _LAYER_BYTES)
    part = path.with_suffix(".part")
    with part.open("w") as file:
        file.write(
            '{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100", "totalGlobalMem": 42505273344,'
            ' "computeMajor": 8, "computeMinor": 0, "numSms": 108, "warpSize": 32, "maxThreadsPerMultiprocessor": 2048,'
            ' "sharedMemPerBlock": 49152, "regsPerBlock": 65536}], "cuda_runtime_version": 12010, "distributedInfo":'
            ' {"backend": "nccl", "rank": 0, "world_size": 2}, "displayTimeUnit": "ms", "record_shapes": 1,'
            ' "baseTimeNanoseconds": 1700000000000000000,\n"traceEvents": [\n'
        )
        for process, label in ((_PROCESS, "CPU"), (0, "GPU 0")):
            for name, argument in (("process_name", '"name":"python"'), ("process_labels", f'"labels":"{label}"')):
                file.write(f'{{"ph":"M","name":"{name}","ts":0,"pid":{process},"tid":0,"args":{{{argument}}}}},\n')
        for step in range(1, _STEPS + 1):
            begin = writing.now
            for _ in range(layers):
                file.write(writing.layer())
            file.write(
                f'{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{step}","pid":{_PROCESS},"tid":{_PROCESS},'
                f'"ts":{_us(begin - 500)},"dur":{_us(writing.now - begin + 500)},"args":{{"External id":0}}}},\n'
            )
            writing.slices += 1
            writing.now += 10_000
        file.write(f'{{"ph":"i","s":"g","name":"Record Window End","pid":"","tid":"","ts":{_us(writing.now)}}}\n]}}')
    part.rename(path)
    return writing.slices


class _Writing:
    """Where on the clocks of the host and of two streams the training is; nanoseconds."""

    def __init__(self, chance: random.Random) -> None:
        self.now = 1_000_000
        self.slices = 0
        self._chance = chance
        self._stream = self._collectives = self.now
        self._number = 0  # of the last launch

    def layer(self) -> str:
        """Ten operators with one more inside, a launch and a kernel each, then a collective."""
        lines = [line for _ in range(10) for line in self._operator()]
        self._number += 1
        begin, took = max(self._collectives, self._stream - 30_000), self._chance.randint(80_000, 300_000)
        self._collectives = begin + took
        launch = f'"External id":{self._number},"cbid":430,"correlation":{self._number}'
        lines.append(self._slice("cuda_runtime", "cudaLaunchKernelExC", _PROCESS, _PROCESS, self.now, 5000, launch))
        arguments = (
            f'"External id":{self._number},"device":0,"context":1,"stream":20,"correlation":{self._number},'
            '"grid":[16,1,1],"block":[512,1,1],"Collective name":"allreduce","In msg nelems":7087872,'
            '"Group size":2,"dtype":"Float","Process Group Name":"0","Process Group Ranks":"[0, 1]"'
        )
        lines.append(self._slice("kernel", _COLLECTIVE, 0, 20, begin, took, arguments))
        self.now += 7000
        return "".join(lines)

    def _operator(self) -> list[str]:
        chance = self._chance
        self._number += 1
        took = chance.randint(8_000, 60_000)
        inner = took * 7 // 10
        launched = self.now + 2000 + inner * 3 // 10
        kernel, lasts = max(self._stream, launched + 6000), chance.randint(4_000, 70_000)
        host = f'"pid":{_PROCESS},"tid":{_PROCESS}'
        shape = f"[[{8 * chance.randint(1, 4)}, 512, 768], [768, 768], [768]]"
        given = (
            f'"External id":{self._number},"Record function id":0,"Sequence number":{self._number},"Fwd thread id":0'
        )
        given += f',"Input Dims":{shape},"Input type":["float","float","float"],"Ev Idx":{self.slices}'
        runtime = f'"External id":{self._number},"cbid":211,"correlation":{self._number}'
        device = (
            f'"External id":{self._number},"queued":0,"device":0,"context":1,"stream":7,"correlation":{self._number},'
            '"registers per thread":32,"shared memory":0,"blocks per SM":4.5,"warps per SM":36.0,"grid":[108,1,1],'
            '"block":[256,1,1],"est. achieved occupancy %":56'
        )
        flow = f'"id":{self._number},"cat":"ac2g","name":"ac2g"'
        names = [f"aten::{name}" for name in chance.sample(_OPERATORS, 2)]
        lines = [
            self._slice("cpu_op", names[0], _PROCESS, _PROCESS, self.now, took, given),
            self._slice("cpu_op", names[1], _PROCESS, _PROCESS, self.now + 1000, inner, given),
            self._slice(
                "cuda_runtime", "cudaLaunchKernel", _PROCESS, _PROCESS, launched, min(5000, inner // 2), runtime
            ),
            f'{{"ph":"s",{flow},{host},"ts":{_us(launched)}}},\n',
            self._slice("kernel", chance.choice(_KERNELS), 0, 7, kernel, lasts, device),
            f'{{"ph":"f",{flow},"pid":0,"tid":7,"ts":{_us(kernel)},"bp":"e"}},\n',
        ]
        self._stream = kernel + lasts
        self.now += took + chance.randint(1000, 4000)
        return lines

    def _slice(self, category: str, name: str, process: int, thread: int, begin: int, took: int, arguments: str) -> str:
        self.slices += 1
        return (
            f'{{"ph":"X","cat":"{category}","name":"{name}","pid":{process},"tid":{thread},"ts":{_us(begin)},'
            f'"dur":{_us(took)},"args":{{{arguments}}}}},\n'
        )


def _us(nanoseconds: int) -> str:
    return f"{nanoseconds // 1000}.{nanoseconds % 1000:03d}"
