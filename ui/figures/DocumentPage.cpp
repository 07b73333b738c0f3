// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/DocumentPage.h"

#include "ui/document/Session.h"

namespace headlight {

PageModel pageModelOf(const Document& document) {
  PageModel model;
  if (!document.canCompute()) return model;
  const Session session = sessionOf(document);
  model.weights = session.weights.toStdString();
  model.partial = session.partial;
  model.experiment = experimentToJson(session.experiment);
  return model;
}

std::string tokenWords(int token, const Grid& grid) {
  if (token == 0 && grid.hasClassToken()) return "";
  const int firstRegister = grid.prefix - grid.registers;
  if (token < firstRegister) return "distillation";
  if (token < grid.prefix) return "register" + std::to_string(token - firstRegister + 1);
  const int patch = token - grid.prefix;
  return std::to_string(patch / grid.cols) + "," + std::to_string(patch % grid.cols);
}

PageOptions pageOptionsOf(const Document& document) {
  const ViewOptions view = document.steadyView();
  PageOptions options;
  options.query = tokenWords(view.query, document.model().grid);
  options.fusion = headFusionName(view.rollout.fusion);
  options.discard = view.rollout.discardRatio;
  options.style = mapStyleName(view.style);
  options.colormap = colorMapName(view.colorMap);
  options.dim = view.dim;
  options.opacity = view.opacity;
  options.smooth = view.smooth;
  if (view.way.classIndex >= 0) options.classText = std::to_string(view.way.classIndex);
  return options;
}

PageColumn chosenColumn(const Document& document) {
  PageColumn column;
  const ViewOptions& view = document.view();
  column.shows = view.head < 0 ? "layer" : "head";
  column.layer = view.layer;
  column.head = view.head;
  return column;
}

FigurePage usefulPage(const Document& document, const QStringList& pictures) {
  FigurePage page;
  page.model = pageModelOf(document);
  page.options = pageOptionsOf(document);
  for (const QString& path : pictures)
    if (page.pictures.size() < kMostPagePictures) page.pictures.push_back({path.toStdString(), ""});
  if (page.pictures.empty() && document.hasImage())
    page.pictures.push_back({document.imagePath().toStdString(), ""});
  page.columns = usefulColumns(document.model(), document.view().layer, document.view().head);
  return page;
}

}  // namespace headlight
