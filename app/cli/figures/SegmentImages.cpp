// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figures/SegmentImages.h"

#include "app/cli/options/Inputs.h"
#include "app/cli/reports/SegmentText.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/workbench/figures/SegmentFigure.h"

namespace headlight::cli {
namespace {

void requireSegments(const ModelConfig& model) {
  if (segmentsImages(model)) return;
  throw Failure({ErrorCode::InvalidArgument,
                 tr("the model ") + (model.name.empty() ? model.backbone : model.name) +
                     tr(" gives pixels no classes; choose a segmenter (ViT with a Mask2Former "
                        "decoder), or leave out --segments"),
                 "--segments"});
}

}  // namespace

SegmentImages::SegmentImages(std::filesystem::path folder, const ModelInfo& model,
                             Terminal& terminal)
    : m_folder(std::move(folder)), m_names(model.classNames) {
  requireSegments(model.experiment.model);
  makeOutputFolder(m_folder);
  terminal.note(tr("images go to ") + wholePath(m_folder));
}

std::vector<std::string> SegmentImages::write(const std::string& name, const Image& original,
                                              const FoundSegments& found, const ClassImage* truth) {
  const std::string stem = unusedStem(m_stems, name);
  std::vector<std::string> files;
  const auto put = [&](const char* ending, const std::string& bytes) {
    const std::filesystem::path file = m_folder / (stem + ending);
    valueOrThrow(writeFileAtomically(file, bytes));
    files.push_back(file.string());
  };
  put("-classes.png", valueOrThrow(encodeClassPng(found.image, segmentPalette())));
  put("-segments.png",
      valueOrThrow(encodePng(segmentFigure(original, found, kSegmentOpacity, truth),
                             {{"Software", "Headlight"}})));
  Json json = segmentFileJson(found);
  if (truth) addTrueSegments(*truth, found, m_names, json);
  put("-segments.json", json.dump(2) + "\n");
  return files;
}

}  // namespace headlight::cli
