// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A list, ordered by hand, of the images or columns of a figure page.

#include <QListWidget>
#include <QStringList>

namespace headlight {

/// Rows are dragged, moved by Ctrl+Up and Ctrl+Down, removed by Delete and edited by F2 or a
/// double-click. Typed text is emitted, and kept only if the receiver sets it.
class PageEntries : public QListWidget {
  Q_OBJECT
 public:
  explicit PageEntries(const QString& name, QWidget* parent = nullptr);

  /// `data` of each row moves with the row.
  void setEntries(const QStringList& texts, const QVariantList& data);
  void append(const QString& text, const QVariant& data);
  QVariantList entries() const;
  void setEntry(int row, const QString& text, const QVariant& data);

  void moveChosen(int by);
  void removeChosen();

 Q_SIGNALS:
  void changed();                            ///< order or number, by the user
  void typed(int row, const QString& text);  ///< new text of a row

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  QListWidgetItem* makeItem(const QString& text, const QVariant& data);
  bool m_setting = false;
};

}  // namespace headlight
