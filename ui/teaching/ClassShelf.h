// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Classes that a person makes by hand: a row a class, with its name and its images. Images of the
// gallery and files are dropped on a row, or beside the rows for a new class; a folder is a class
// of its name.

#include <QTableWidget>

#include <vector>

#include "core/workbench/adapt/NamedImages.h"

namespace headlight {

class ClassShelf : public QTableWidget {
  Q_OBJECT
 public:
  /// Of what the gallery's images are dragged as: an address a line.
  static constexpr const char* kMimeType = "application/x-headlight-images";

  explicit ClassShelf(QWidget* parent = nullptr);

  std::vector<NamedImages> classes() const;
  /// `row` −1, or one that there is not: a new class. An image is in one class.
  void addImages(int row, const QStringList& paths);
  void addClass(const QString& name);
  void removeSelected();

 Q_SIGNALS:
  void changed();

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragMoveEvent(QDragMoveEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void addFolder(const QString& folder);
  void takeOut(const QString& path);
  void refresh(int row);
  QString newName() const;
  int rowOfName(const QString& name) const;

  std::vector<QStringList> m_images;  ///< by row
};

}  // namespace headlight
