// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/evaluation/SamplePictures.h"

#include "core/workbench/evaluation/OpenedEvaluation.h"

namespace headlight {

Result<std::vector<Image>> samplePictures(const ModelInfo& info, const PictureSample& sample,
                                          const std::vector<std::int64_t>& indices,
                                          std::stop_token stop) {
  return guarded("pictures", [&] {
    const auto dataset = openPictures(info, sample.data, sample.samples);
    std::vector<Image> pictures;
    for (const std::int64_t index : indices) {
      if (stop.stop_requested()) throw Failure({ErrorCode::Canceled, "stopped", "pictures"});
      const bool known = index >= 0 && index < dataset->size();
      auto found = known ? dataset->sample(index)
                         : Result<Sample>(Error{ErrorCode::NotFound, "is not in it", ""});
      pictures.push_back(found ? found->image : Image{});
    }
    return pictures;
  });
}

}  // namespace headlight
