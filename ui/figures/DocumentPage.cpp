// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/DocumentPage.h"

#include "ui/document/Session.h"

namespace headlight {

PageModel makePageModel(const Document& document) {
  PageModel model;
  if (!document.inputs().canCompute()) return model;
  const Session session = recordSession(document);
  model.weights = session.weights.toStdString();
  model.partial = session.partial;
  model.prompts = session.prompts;
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

PageOptions makePageOptions(const Document& document) {
  const ViewOptions view = document.view().steady();
  PageOptions options;
  options.query = tokenWords(view.query, document.inputs().model().grid);
  options.fusion = headFusionName(view.rollout.fusion);
  options.discard = view.rollout.discardRatio;
  options.threshold = view.objectThreshold;
  options.style = mapStyleName(view.style);
  options.colormap = colorMapName(view.colorMap);
  options.dim = view.dim;
  options.opacity = view.opacity;
  options.smooth = view.smooth;
  options.maskOutline = view.maskOutline;
  if (view.method.classIndex >= 0) options.classText = std::to_string(view.method.classIndex);
  return options;
}

PageColumn chosenColumn(const Document& document) {
  PageColumn column;
  const ViewOptions& view = document.view().options();
  column.shows = view.head < 0 ? "layer" : "head";
  column.layer = view.layer;
  column.head = view.head;
  return column;
}

FigurePage usefulPage(const Document& document, const QStringList& images) {
  FigurePage page;
  page.model = makePageModel(document);
  page.options = makePageOptions(document);
  for (const QString& path : images)
    if (page.images.size() < kMostPageImages) page.images.push_back({path.toStdString(), ""});
  if (page.images.empty() && document.inputs().hasImage())
    page.images.push_back({document.inputs().imagePath().toStdString(), ""});
  page.columns = usefulColumns(document.inputs().model(), document.view().options().layer,
                               document.view().options().head);
  return page;
}

}  // namespace headlight
