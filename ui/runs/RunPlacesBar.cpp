// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/RunPlacesBar.h"

#include <QDir>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>

#include "ui/base/SanitizedText.h"
#include "ui/runs/RunPlaces.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/IconButton.h"

namespace headlight {
namespace {

QString shortPath(const QString& folder) {
  const QString home = QDir::homePath();
  const bool inside = folder == home || folder.startsWith(home + QLatin1Char('/'));
  return displayName(inside ? QLatin1Char('~') + folder.mid(home.size()) : folder);
}

}  // namespace

RunPlacesBar::RunPlacesBar(RunPlaces* places, QWidget* parent)
    : QWidget(parent),
      m_places(places),
      m_text(new QLabel(this)),
      m_add(iconButton(this, "addRunFolder", tr("&Add Folder…"), "add",
                       tr("Add a folder of runs or of a sweep; runs up to two folders deep are "
                          "found. You can also drop several folders on this window"))),
      m_folders(iconButton(this, "runFolders", tr("F&olders"), "folder",
                           tr("Remove folders from the list; the disk is not changed"))),
      m_menu(new QMenu(this)) {
  m_text->setObjectName(QStringLiteral("runPlaces"));
  m_text->setAccessibleName(tr("Folders with runs"));
  m_text->setTextFormat(Qt::PlainText);
  m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  for (QPushButton* button : {m_add, m_folders})
    button->setAutoDefault(false);
  m_folders->setMenu(m_menu);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_text, 1);
  layout->addWidget(m_add);
  layout->addWidget(m_folders);
  connect(m_add, &QPushButton::clicked, this, &RunPlacesBar::askForMore);
  connect(m_places, &RunPlaces::changed, this, &RunPlacesBar::refresh);
  refresh();
}

void RunPlacesBar::askForMore() {
  const QString start = m_places->folders().value(0);
  askForFolder(window(), tr("Folder with runs"), start,
               [places = m_places](const QString& folder) { places->add({folder}); });
}

void RunPlacesBar::refresh() {
  QStringList folders;
  for (const QString& folder : m_places->folders())
    folders << shortPath(folder);
  m_text->setText(folders.isEmpty() ? tr("No folder is listed. Add one, or drop folders here.")
                                    : tr("Runs in %1").arg(folders.join(QStringLiteral(" · "))));
  m_text->setToolTip(plainToolTip(m_places->folders().join(QLatin1Char('\n'))));
  fillMenu();
}

void RunPlacesBar::fillMenu() {
  m_menu->clear();
  for (const QString& folder : m_places->folders()) {
    QString text = shortPath(folder).replace(QLatin1Char('&'), QStringLiteral("&&"));
    m_menu->addAction(tr("Remove %1 from the list").arg(text), this,
                      [places = m_places, folder] { places->remove(folder); });
  }
  const auto removed = m_places->removedRuns().size();
  if (removed > 0)
    m_menu->addAction(tr("Restore removed runs (%1)").arg(removed), this,
                      [places = m_places] { places->bringBackRuns(); });
  m_folders->setEnabled(!m_menu->isEmpty());
}

}  // namespace headlight
