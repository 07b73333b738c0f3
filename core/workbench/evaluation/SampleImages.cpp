// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/evaluation/SampleImages.h"

#include "core/base/Translation.h"
#include "core/workbench/evaluation/OpenedEvaluation.h"

namespace headlight {

Result<std::vector<Image>> sampleImages(const ModelInfo& info, const ImageSample& sample,
                                        const std::vector<std::int64_t>& indices,
                                        std::stop_token stop) {
  return guarded("images", [&] {
    const auto dataset = openImages(info, sample.data, sample.samples);
    std::vector<Image> images;
    for (const std::int64_t index : indices) {
      if (stop.stop_requested()) throw Failure({ErrorCode::Canceled, tr("stopped"), "images"});
      const bool known = index >= 0 && index < dataset->size();
      auto found =
          known ? dataset->sample(index)
                : Result<Sample>(Error{ErrorCode::NotFound, tr("is not in the dataset"), ""});
      images.push_back(found ? found->image : Image{});
    }
    return images;
  });
}

}  // namespace headlight
