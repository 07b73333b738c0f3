// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The readers behind readCheckpoint. They throw Failure. Internal.

#include <memory>

#include "core/checkpoint/ByteSource.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/Checksums.h"
#include "core/checkpoint/TensorFile.h"

namespace headlight {

Checkpoint readSafetensorsFrom(const ByteSource& source, Checked checked = Checked::Values);

using SharedSource = std::shared_ptr<const ByteSource>;

/// Whatever the file is, by its content.
std::unique_ptr<TensorFile> openTensorFile(const SharedSource& source);
std::unique_ptr<TensorFile> openSafetensorsFile(const SharedSource& source);
/// torch.save's ZIP archives, TorchScript's among them.
std::unique_ptr<TensorFile> openPth(const SharedSource& source);

/// The parts that both kinds of .pth share: tensors of a pickle's dictionaries.
class PickleStorages;
struct Pickle;
std::unique_ptr<TensorFile> makePickleFile(const SharedSource& source, Pickle pickle,
                                           std::unique_ptr<PickleStorages> storages,
                                           std::shared_ptr<const void> kept, bool script);

}  // namespace headlight
