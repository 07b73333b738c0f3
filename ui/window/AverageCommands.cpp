// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/AverageCommands.h"

#include <QAction>
#include <QListView>

#include "ui/base/Actions.h"
#include "ui/bridge/GalleryModel.h"
#include "ui/document/Document.h"
#include "ui/figures/FaithfulnessDialog.h"
#include "ui/figures/HeadsDialog.h"
#include "ui/figures/RelativeDialog.h"
#include "ui/interventions/InterventionDialog.h"
#include "ui/interventions/QueryKeyDialog.h"
#include "ui/opening/GalleryDock.h"

namespace headlight {

AverageCommands::AverageCommands(Document* document, ModelWorker* inference, GalleryDock* gallery,
                                 QWidget* window)
    : QObject(window),
      m_document(document),
      m_inference(inference),
      m_gallery(gallery),
      m_window(window) {
  m_showRelative = makeCommand(
      this,
      {"view.attentionByOffset",
       tr("Attention by &offset…"),
       tr("Plot the mean attention of every head by relative position, over one image or many"),
       "Ctrl+W, O",
       {}},
      [this] { show<RelativeDialog>(m_relative, true); });
  m_showFaithfulness = makeCommand(this,
                                   {"view.faithfulness",
                                    tr("Faithfulness of explanatio&ns…"),
                                    tr("Test which explanations are faithful to the model: "
                                       "deletion and insertion over many images"),
                                    "Ctrl+W, T",
                                    {}},
                                   [this] { show<FaithfulnessDialog>(m_faithfulness, false); });
  m_showHeads = makeCommand(this,
                            {"view.headsOverImages",
                             tr("&Heads by depth, over images…"),
                             tr("Plot attention distance, entropy and locality of every head by "
                                "its layer, averaged over images, with deviations and chance"),
                             "Ctrl+W, H",
                             {}},
                            [this] { show<HeadsDialog>(m_heads, true); });
  m_showInterventions =
      makeCommand(this,
                  {"view.interventions",
                   tr("Inter&ventions…"),
                   tr("Replace heads, tokens or layers and see what becomes of the prediction; "
                      "patch activations of another image; attribute logits to heads"),
                   "Ctrl+W, V",
                   {}},
                  [this] { show<InterventionDialog>(m_interventions, false); });
  m_showQueryKeys = makeCommand(this,
                                {"view.queryKeyMap",
                                 tr("&Query-key map…"),
                                 tr("Map the queries and keys of a head over many images together "
                                    "into two dimensions: which tokens look for which"),
                                 "Ctrl+W, Q",
                                 {}},
                                [this] { show<QueryKeyDialog>(m_queryKeys, false); });
  m_commands = {m_showRelative, m_showHeads, m_showFaithfulness, m_showInterventions,
                m_showQueryKeys};
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &AverageCommands::refresh);
  refresh();
}

void AverageCommands::refresh() {
  m_showRelative->setEnabled(m_document->inputs().hasModel());
  m_showHeads->setEnabled(m_document->inputs().hasModel());
  const bool classifies = m_document->inputs().canCompute() &&
                          m_document->inputs().model().experiment.model.classes > 0;
  m_showFaithfulness->setEnabled(classifies);
  m_showInterventions->setEnabled(classifies);
  m_showQueryKeys->setEnabled(m_document->inputs().canCompute());
}

GalleryPaths AverageCommands::galleryPaths() const {
  GalleryPaths paths;
  const QListView* view = m_gallery->view();
  const QAbstractItemModel* model = view->model();
  for (int row = 0; row < model->rowCount(); ++row) {
    const QModelIndex index = model->index(row, 0);
    const QString path = index.data(GalleryModel::PathRole).toString();
    paths.listed << path;
    if (view->selectionModel()->isSelected(index)) paths.chosen << path;
  }
  return paths;
}

/// `atOnce`: measures the image that is shown, or those that were chosen for it.
template <typename Dialog>
void AverageCommands::show(QPointer<AveragesDialog>& dialog, bool atOnce) {
  const bool fresh = !dialog;
  if (fresh) {
    const auto select = [this](const QStringList& paths) { return m_gallery->select(paths); };
    dialog = new Dialog(AveragesParts{m_document, m_inference, galleryPaths(), select}, m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
  } else if (!dialog->isBusy()) {
    dialog->images()->setGallery(galleryPaths());
  }
  if (fresh) dialog->images()->choose(ImageChoice::Source::Chosen);
  dialog->show();
  dialog->raise();
  dialog->activateWindow();
  if (fresh && atOnce) dialog->measureOrStop();
}

}  // namespace headlight
