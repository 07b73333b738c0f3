// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Named tensors in and out of files, and what of them fits a model. Torch types: core only.

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/Result.h"
#include "core/base/files/OpenFolder.h"
#include "core/checkpoint/LoadReport.h"

namespace headlight {

/// In the order of the file. Names are unique.
using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

struct Checkpoint {
  NamedTensors tensors;                         ///< CPU, contiguous, in the dtype of the file
  std::map<std::string, std::string> metadata;  ///< safetensors' __metadata__; empty for .pth
  std::string format;                           ///< "safetensors" or "pth"
  std::string source;  ///< of a .pth: which dictionary was taken ("model"); empty: the bare one
  std::vector<std::string> notes;  ///< what was skipped and why
};

/// Reads either format, told apart by content, never by name; DINOv2's and DINOv3's own files under
/// timm's names.
Result<Checkpoint> readCheckpoint(const std::filesystem::path& path);

/// Safetensors. Dtypes: F64, F32, F16, BF16, I64, I32, I16, I8, U8, BOOL. Checks as in the format's
/// own specification: header at most 100 MB beginning with '{', no name twice, offsets contiguous
/// and covering the file exactly, shape × size without overflow and equal to the byte range.
Result<Checkpoint> readSafetensors(const std::filesystem::path& path);
Result<Checkpoint> parseSafetensors(std::string_view bytes, const std::string& name);
/// Of a run's folder: no link is followed, and checksums (Checksums.h) are compared with
/// everything, not with the numbers alone.
Result<Checkpoint> readSafetensors(const OpenFolder& folder, const std::string& name);
/// The metadata alone, from the file's header: nothing is compared with checksums.
Result<std::map<std::string, std::string>> readSafetensorsMetadata(const OpenFolder& folder,
                                                                   const std::string& name);
/// Written atomically (core/base/files/Files.h). Tensors are copied to the CPU as they are written.
Result<void> writeSafetensors(const std::filesystem::path& path, const NamedTensors& tensors,
                              const std::map<std::string, std::string>& metadata = {});
/// Into a run's folder: the metadata gets checksums, which reading takes away again.
Result<void> writeSafetensors(const OpenFolder& folder, const std::string& name,
                              const NamedTensors& tensors,
                              const std::map<std::string, std::string>& metadata = {});

/// torch.save's ZIP format, walked by our own small pickle machine: nothing in it is executed.
/// Takes state_dict_ema > model_ema > state_dict > model > the bare dictionary; "module." stripped.
Result<Checkpoint> readPth(const std::filesystem::path& path);
Result<Checkpoint> parsePth(std::string_view bytes, const std::string& name);

/// How position embeddings of this model are laid out: needed to resize those of a file.
struct PositionLayout {
  std::int64_t prefixTokens = 1;
  std::int64_t rows = 14;
  std::int64_t cols = 14;
  std::int64_t fileRows = 0, fileCols = 0;  ///< of the file's grid, where it says so; else 0
};

/// `model` are the model's own parameters and buffers (their storage is what `apply` fills).
struct LoadPlan {
  LoadReport report;
  NamedTensors values;  ///< ready to copy: name and value in the model's shape and dtype
};
Result<LoadPlan> planLoad(const NamedTensors& model, const Checkpoint& checkpoint,
                          const PositionLayout& layout);
/// Copies the plan's values into the model's tensors, all or none (shapes are checked first).
Result<void> applyLoad(const NamedTensors& model, const LoadPlan& plan);

}  // namespace headlight
