// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// training.adapter: LoRA beside linear layers, bottlenecks beside MLPs. Torch types: core only.

#include <cstdint>
#include <string>

#include "core/checkpoint/Checkpoint.h"
#include "core/config/TrainingConfig.h"
#include "core/models/backbones/Model.h"

namespace headlight {

/// Whether a tensor of a model belongs to an adapter.
bool isAdapterTensor(const std::string& name);

/// Gives `model` the adapters that the config asks for, drawn from `seed`; those that it has stay.
/// Throws Failure(InvalidConfig) where it has no such layers.
void attachAdapters(Model& model, const TrainingConfig& config, std::uint64_t seed);

/// Of `tensors`, those of bottlenecks that `model` could have and has not. Throws
/// Failure(InvalidFile) where they are not whole.
NamedTensors absentBottlenecks(const Model& model, const NamedTensors& tensors,
                               const std::string& where);
/// Gives the model bottlenecks for these tensors, whose values are to be filled in.
void attachBottlenecks(Model& model, const NamedTensors& tensors);

/// What is to be said of weights with bottlenecks; empty: they have none.
std::string bottleneckNote(const NamedTensors& tensors);

/// LoRA in its layers: W ← W + scale · up · down, and its own tensors are gone. Bottlenecks, which
/// no weight can take in, stay. Throws Failure(InvalidFile) where tensors do not fit each other.
NamedTensors mergedLowRank(NamedTensors tensors);

}  // namespace headlight
