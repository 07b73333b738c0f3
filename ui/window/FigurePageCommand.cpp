// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/FigurePageCommand.h"

#include <QFile>
#include <QFileInfo>
#include <QListView>

#include <algorithm>

#include "core/base/Log.h"
#include "core/base/files/Files.h"
#include "ui/base/Actions.h"
#include "ui/bridge/GalleryModel.h"
#include "ui/figures/FigurePageDialog.h"
#include "ui/opening/GalleryDock.h"

namespace headlight {

FigurePageCommand::FigurePageCommand(const Parts& parts, QWidget* window)
    : QObject(window), m_parts(parts), m_window(window) {
  m_action = makeCommand(this,
                         {"file.figurePage", tr("Figure pa&ge…"),
                          tr("Make a page of images × heads and methods for a paper, from the "
                             "selected gallery images or the open one"),
                          "Ctrl+W, P", "image"},
                         [this] { show(); });
  connect(&parts.document->inputs(), &InferenceInputs::imageChanged, this,
          &FigurePageCommand::refresh);
  connect(&parts.document->inputs(), &InferenceInputs::modelChanged, this,
          &FigurePageCommand::refresh);
  refresh();
}

FigurePageCommand::~FigurePageCommand() = default;

void FigurePageCommand::refresh() {
  m_action->setEnabled(m_parts.document->inputs().hasModel() &&
                       m_parts.document->inputs().hasImage());
}

QStringList FigurePageCommand::marked() const {
  QModelIndexList rows = m_parts.gallery->view()->selectionModel()->selectedIndexes();
  std::sort(rows.begin(), rows.end(),
            [](const QModelIndex& a, const QModelIndex& b) { return a.row() < b.row(); });
  QStringList paths;
  for (const QModelIndex& row : rows)
    paths << row.data(GalleryModel::PathRole).toString();
  return paths;
}

void FigurePageCommand::show() {
  if (!m_dialog) make();
  m_dialog->show();
  m_dialog->raise();
  m_dialog->activateWindow();
}

void FigurePageCommand::make() {
  m_dialog = new FigurePageDialog(m_parts.document, m_parts.inference, m_window);
  m_dialog->setGallery([this] { return marked(); });
  m_dialog->setSession(m_parts.session);
  restore();
  connect(m_dialog, &FigurePageDialog::pageChanged, this, [this] { m_changed = true; });
  connect(m_dialog, &QDialog::finished, this, &FigurePageCommand::keep);
  connect(m_dialog, &FigurePageDialog::shown, this, &FigurePageCommand::keep);
}

void FigurePageCommand::restore() {
  const bool kept = !m_parts.file.isEmpty() && QFileInfo::exists(m_parts.file);
  if (kept) {
    const auto page = readFigurePage(m_parts.file.toStdString());
    if (page) return m_dialog->setPage(*page);  // where the model lacks something, it is said there
    logInfo("The last figure page was not restored: " + page.error().text());
    QFile::rename(m_parts.file, m_parts.file + QStringLiteral(".unread"));
  }
  m_dialog->startAnew();
}

void FigurePageCommand::keep() {
  if (!m_changed || m_parts.file.isEmpty() || !m_dialog) return;
  m_changed = false;
  const auto written =
      writeFileAtomically(m_parts.file.toStdString(), pageToText(m_dialog->page()));
  if (!written) logInfo("The figure page was not saved: " + written.error().text());
}

}  // namespace headlight
