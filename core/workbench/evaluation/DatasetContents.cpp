// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/evaluation/DatasetContents.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/data/Dataset.h"

namespace headlight {
namespace {

constexpr double kSmallArea = 32 * 32, kMediumArea = 96 * 96;  // COCO's
constexpr std::size_t kSaidClasses = 12;

using ContentSize = ContentSizes::Size;

std::int64_t contentArea(const ContentSize& size) {
  return std::int64_t{size.width} * size.height;
}

ContentSizes contentSizesOf(std::vector<ContentSize> sizes) {
  std::sort(sizes.begin(), sizes.end(), [](const ContentSize& a, const ContentSize& b) {
    return contentArea(a) < contentArea(b);
  });
  return {sizes.front(), sizes[sizes.size() / 2], sizes.back()};
}

class ContentCounter {
 public:
  ContentCounter(const Dataset& dataset, std::int64_t counted) {
    m_contents.boxes = dataset.hasBoxes();
    m_contents.images = dataset.size();
    m_contents.counted = counted;
    for (const std::string& name : dataset.classNames())
      m_contents.classes.push_back({name});
  }

  void add(const Result<SampleTruth>& truth) {
    if (!truth) return static_cast<void>(++m_contents.unread);
    if (truth->width > 0 && truth->height > 0) m_sizes.push_back({truth->width, truth->height});
    if (m_contents.boxes)
      addBoxes(truth->boxes);
    else
      addPixels(truth->segments);
  }

  DatasetContents result() {
    if (!m_sizes.empty()) m_contents.sizes = contentSizesOf(std::move(m_sizes));
    return std::move(m_contents);
  }

 private:
  void addBoxes(const LabeledBoxes& boxes) {
    std::set<int> here;
    for (const LabeledBox& box : boxes) {
      if (box.crowd) ++m_contents.crowds;
      if (box.crowd) continue;
      ++m_contents.bySize[box.area < kSmallArea ? 0 : box.area <= kMediumArea ? 1 : 2];
      if (ClassContents* one = classAtLabel(box.label)) ++one->objects;
      here.insert(box.label);
    }
    addImage(here);
  }

  void addPixels(const ClassImage& segments) {
    std::array<std::int64_t, 256> counts{};
    for (const std::uint8_t label : segments.classes)
      ++counts[label];
    m_contents.pixels += static_cast<std::int64_t>(segments.classes.size());
    m_contents.unknownPixels += counts[kIgnoredClass];
    std::set<int> here;
    for (int label = 0; label < kIgnoredClass; ++label) {
      if (counts[static_cast<std::size_t>(label)] == 0) continue;
      here.insert(label);
      if (ClassContents* one = classAtLabel(label))
        one->pixels += counts[static_cast<std::size_t>(label)];
    }
    addImage(here);
  }

  void addImage(const std::set<int>& labels) {
    m_contents.empty += labels.empty();
    for (const int label : labels)
      if (ClassContents* one = classAtLabel(label)) ++one->images;
  }

  ClassContents* classAtLabel(int label) {
    const auto at = static_cast<std::size_t>(label);
    return label >= 0 && at < m_contents.classes.size() ? &m_contents.classes[at] : nullptr;
  }

  DatasetContents m_contents;
  std::vector<ContentSize> m_sizes;
};

std::string contentShareText(std::int64_t part, std::int64_t whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%",
                whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0);
  return text;
}

std::string contentSizeText(const ContentSize& size) {
  return std::to_string(size.width) + " x " + std::to_string(size.height);
}

std::string imageCountText(std::int64_t count) {
  return countText(count, tr("image"), tr("images"));
}

std::string objectsLine(const DatasetContents& contents) {
  const auto& [small, medium, large] = contents.bySize;
  std::string line = countText(contents.objects(), tr("box"), tr("boxes")) + ": " +
                     std::to_string(small) + tr(" small (below 32² pixels), ") +
                     std::to_string(medium) + tr(" medium, ") + std::to_string(large) +
                     tr(" large (above 96²)");
  if (contents.crowds > 0)
    line += "; " + countText(contents.crowds, tr("box of a crowd"), tr("boxes of crowds"));
  return line;
}

std::string pixelsLine(const DatasetContents& contents) {
  return contentShareText(contents.unknownPixels, contents.pixels) +
         tr(" of the pixels have no known class");
}

std::string emptyLine(const DatasetContents& contents) {
  return std::to_string(contents.empty) + tr(" of ") + imageCountText(contents.counted) +
         (contents.boxes ? tr(" without a box") : tr(" without a pixel of a known class")) +
         (contents.unread > 0 ? ", " + std::to_string(contents.unread) + tr(" cannot be read")
                              : std::string());
}

/// "cat 12 in 7 images", "sky 41.3 % in 7 images".
std::string classContentText(const DatasetContents& contents, const ClassContents& one) {
  return one.name + " " +
         (contents.boxes ? std::to_string(one.objects)
                         : contentShareText(one.pixels, contents.pixels - contents.unknownPixels)) +
         tr(" in ") + imageCountText(one.images);
}

std::string classesLine(const DatasetContents& contents) {
  std::vector<ClassContents> classes = contents.classes;
  std::stable_sort(classes.begin(), classes.end(), [&](const auto& a, const auto& b) {
    return contents.boxes ? a.objects > b.objects : a.pixels > b.pixels;
  });
  std::vector<std::string> texts;
  for (const ClassContents& one : classes)
    texts.push_back(classContentText(contents, one));
  return tr("by class: ") + joined(texts, kSaidClasses);
}

std::string sizesLine(const ContentSizes& sizes) {
  return tr("images of ") + contentSizeText(sizes.smallest) + tr(" to ") +
         contentSizeText(sizes.largest) + tr(" pixels, the middle one ") +
         contentSizeText(sizes.middle);
}

}  // namespace

Result<std::optional<DatasetContents>> datasetContents(const Dataset& dataset, std::int64_t most,
                                                       std::stop_token stop) {
  return guarded("data", [&]() -> std::optional<DatasetContents> {
    if (!dataset.hasBoxes() && !dataset.hasSegments()) return std::nullopt;
    const std::int64_t all = dataset.size();
    const std::int64_t counted = dataset.truthIsAtHand() ? all : std::min(all, most);
    ContentCounter counter(dataset, counted);
    for (std::int64_t i = 0; i < counted; ++i) {
      if (stop.stop_requested())
        throw Failure({ErrorCode::Canceled, tr("counting what is in the data was stopped"), ""});
      counter.add(dataset.truth(i * all / counted));
    }
    return counter.result();
  });
}

std::vector<std::string> describeContents(const DatasetContents& contents) {
  std::vector<std::string> lines;
  if (contents.counted < contents.images)
    lines.push_back(tr("counted in ") + std::to_string(contents.counted) + tr(" of ") +
                    imageCountText(contents.images));
  lines.push_back(contents.boxes ? objectsLine(contents) : pixelsLine(contents));
  lines.push_back(emptyLine(contents));
  lines.push_back(classesLine(contents));
  if (contents.sizes) lines.push_back(sizesLine(*contents.sizes));
  return lines;
}

}  // namespace headlight
