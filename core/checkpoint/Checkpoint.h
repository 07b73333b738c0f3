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

/// How the library that a file is of fits its position embeddings to images of another size.
enum class PositionFilter {
  BicubicAntialiased,  ///< timm
  Bicubic,             ///< transformers' ViT, DINOv2, CLIP and torchvision
  BilinearAntialiased  ///< SigLIP 2
};

struct Checkpoint {
  NamedTensors tensors;                         ///< CPU, contiguous, in the dtype of the file
  std::map<std::string, std::string> metadata;  ///< safetensors' __metadata__; empty for .pth
  std::string format;                           ///< "safetensors" or "pth"
  std::string source;  ///< of a .pth: which dictionary was taken ("model"); empty: the bare one
  std::string prefix;  ///< that was taken off the names: "module.backbone."
  std::vector<LoadReport::Choice> choices;  ///< as LoadReport's
  std::vector<std::string> leftAside;       ///< as LoadReport's
  std::vector<std::string> notes;           ///< what was skipped and why
  /// What neither names nor shapes say and is assumed, if nothing else describes the model.
  std::vector<std::string> assumptions;
  PositionFilter positions = PositionFilter::BicubicAntialiased;  ///< of whose library it is
};

/// Reads any of the formats, told apart by content, never by name: safetensors, torch.save's ZIP and
/// its older form (LegacyPth.h), a module saved whole and TorchScript programs, of which
/// nothing is run. Of the dictionaries inside and the prefixes of their names it takes those of a
/// known model (TensorNests.h), the moving average or teacher first; `take` names another. DINOv2's
/// and DINOv3's own files come under timm's names. What a run of this program wrote comes as it is.
Result<Checkpoint> readCheckpoint(const std::filesystem::path& path, const std::string& take = {});
/// The same for the shards of one checkpoint. A tensor in two of them is refused.
Result<Checkpoint> readCheckpoint(const std::vector<std::filesystem::path>& shards,
                                  const std::string& take = {});

/// What readCheckpoint() takes, as tensors of the same names and shapes whose numbers are not read:
/// they take no memory. Metadata are the file's.
Result<Checkpoint> readCheckpointShapes(const std::vector<std::filesystem::path>& shards,
                                        const std::string& take = {});

/// Safetensors. Dtypes: F64, F32, F16, BF16, I64, I32, I16, I8, U8, BOOL. Checks as in the format's
/// own specification: header at most 100 MB beginning with '{', no name twice, offsets contiguous
/// and covering the file exactly, shape × size without overflow and equal to the byte range.
Result<Checkpoint> readSafetensors(const std::filesystem::path& path);
Result<Checkpoint> parseSafetensors(std::string_view bytes, const std::string& name);
/// For a run's folder: no link is followed, and checksums (Checksums.h) are compared with
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

/// torch.save's formats, walked by our own small pickle machine: nothing in them is executed. Takes
/// a known model as readCheckpoint does. Where nothing is known: state_dict_ema > model_ema >
/// state_dict > model > the bare dictionary > the largest other one; "module." stripped.
Result<Checkpoint> parsePth(std::string_view bytes, const std::string& name,
                            const std::string& take = {});

/// How position embeddings of this model are laid out: needed to resize those of a file.
struct PositionLayout {
  std::int64_t prefixTokens = 1;
  std::int64_t rows = 14;
  std::int64_t cols = 14;
  std::int64_t fileRows = 0, fileCols = 0;  ///< of the file's grid, where it says so; else 0
  PositionFilter filter = PositionFilter::BicubicAntialiased;  ///< the model's
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
