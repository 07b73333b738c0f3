// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Names and sizes of a checkpoint's tensors, and what timm wrote about the model beside them.
// Internal to core/workbench.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint/Checkpoint.h"
#include "core/config/ModelConfig.h"

namespace headlight {

class TensorShapes {
 public:
  /// `heads`: as a person says; 0: not said.
  explicit TensorShapes(const Checkpoint& checkpoint, int heads = 0);

  int heads() const { return m_heads; }

  bool has(const std::string& name) const { return m_shapes.count(name) > 0; }
  /// Whether the name of any tensor contains `part`.
  bool anyNameHas(const std::string& part) const;
  /// 0 where there is no such tensor or dimension.
  std::int64_t size(const std::string& name, std::size_t dimension) const;
  /// At least 1, and small enough for an int. Throws Failure where there is no such tensor or
  /// dimension, or the tensor holds no number: one of no size can claim any extent for nothing.
  int extent(const std::string& name, std::size_t dimension) const;
  /// How many of prefix0suffix, prefix1suffix, … there are, without a gap.
  int count(const std::string& prefix, const std::string& suffix) const;

  /// The same for stages, 1 to 6; throws Failure where there are others.
  int stages(const std::string& prefix, const std::string& suffix) const;

  /// timm's keyword arguments of the model: a whole number of this name, 1 to `most`.
  std::optional<int> argument(const char* name, int most) const;
  /// Height and width of `img_size`, which is one number or two.
  std::optional<std::pair<int, int>> imageSize() const;
  /// A keyword argument as it is written; null where there is none.
  Json argument(const char* name) const;
  const Json& arguments() const { return m_arguments; }

 private:
  std::map<std::string, std::vector<std::int64_t>> m_shapes;
  Json m_arguments = Json::object();
  int m_heads = 0;
};

/// Throws Failure naming `tensor` for more pixels than are read here.
void setImageSize(std::int64_t height, std::int64_t width, const std::string& tensor,
                  ModelConfig& config);

/// The image size of `patches` patches: what the file says where that agrees, else a square, which
/// `notes` then says. Throws Failure naming `tensor` where it is neither.
void inferImageSize(const TensorShapes& shapes, std::int64_t patches, const std::string& tensor,
                    ModelConfig& config, std::vector<std::string>& notes);

/// Whether `patches` are the grid of the image that the file says, or a square where it says
/// none.
bool fitsGrid(const TensorShapes& shapes, std::int64_t patches, const ModelConfig& config);

/// Hidden over outer width of the MLP whose first layer is `fc1`.
double inferMlpRatio(const TensorShapes& shapes, const std::string& fc1);

/// Refuses a file that has a tensor with `part` in its name: it belongs to `what`.
void refuseTensor(const TensorShapes& shapes, const std::string& part, const std::string& what);

}  // namespace headlight
