// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figures/ObjectImages.h"

#include "app/cli/options/Inputs.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/workbench/figures/ObjectFigure.h"

namespace headlight::cli {
namespace {

void requireBoxes(const ModelConfig& model) {
  if (detectsObjects(model)) return;
  throw Failure({ErrorCode::InvalidArgument,
                 tr("the model ") + (model.name.empty() ? model.backbone : model.name) +
                     tr(" finds no boxes; choose a detector (YOLOS, LCNet-ViT), or leave out "
                        "--boxes"),
                 "--boxes"});
}

}  // namespace

ObjectImages::ObjectImages(std::filesystem::path folder, const ModelInfo& model, Terminal& terminal)
    : m_folder(std::move(folder)), m_model(model) {
  requireBoxes(model.experiment.model);
  makeOutputFolder(m_folder);
  terminal.note(tr("images go to ") + wholePath(m_folder));
}

std::string ObjectImages::write(const SeenImage& image, const std::vector<FoundObject>& objects) {
  const std::filesystem::path file = m_folder / (unusedStem(m_stems, image.name) + "-boxes.png");
  const Image drawn = objectFigure(image.original, objects, m_model, image.truth.get());
  valueOrThrow(
      writeFileAtomically(file, valueOrThrow(encodePng(drawn, {{"Software", "Headlight"}}))));
  return file.string();
}

}  // namespace headlight::cli
