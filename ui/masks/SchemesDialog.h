// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The schemes that a person keeps, and the published ones: looked at as small images, taken over,
// saved by name, renamed, removed and brought back, imported, and compared with the masks as they
// are.

#include <QDialog>

#include <optional>

#include "core/workbench/schemes/SchemeLibrary.h"

class QLabel;
class QListWidget;
class QListWidgetItem;
class QPushButton;

namespace headlight {

class Document;
class MessageLabel;

class SchemesDialog : public QDialog {
  Q_OBJECT
 public:
  SchemesDialog(Document* document, const SchemeLibrary& shelf, QWidget* parent = nullptr);

  void saveAs(const QString& name);
  void importFrom(const QString& path);  ///< a scheme, a config, a checkpoint or a run's folder

 private:
  QPushButton* addButton(const QString& name, const QString& text, const QString& tip,
                         void (SchemesDialog::*run)());
  void list(const QString& chosen = {});
  void addItem(const QString& name, bool saved);
  std::optional<MaskScheme> chosen() const;
  QString chosenName() const;
  bool chosenIsSaved() const;
  void refresh();
  void apply();
  void askName();
  void rename();
  void onRenamed(QListWidgetItem* item);
  void remove();
  void bringBack();
  void import();
  void notify(const Result<void>& done, const QString& well);

  struct Removed {
    std::string name;
    MaskConfig masks;
  };
  Document* m_document;
  SchemeLibrary m_shelf;
  QListWidget* m_list;
  QLabel *m_image, *m_words;
  MessageLabel* m_message;
  QPushButton *m_apply, *m_save, *m_rename, *m_remove, *m_back, *m_import;
  std::optional<Removed> m_removed;
  bool m_listing = false;
};

}  // namespace headlight
