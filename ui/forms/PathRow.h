// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A labeled path, to be typed or chosen with a button beside it.

#include <QWidget>

class QLineEdit;

namespace headlight {

class PathRow : public QWidget {
  Q_OBJECT
 public:
  struct Words {
    QString name;            ///< objectName of the field
    QString label;           ///< with the accelerator's mark
    QString accessibleName;  ///< of the field
    QString tip;
    QString placeholder;  ///< what an empty path means; with it comes a button that clears
    QString browseName;   ///< objectName of the button
    QString browse;       ///< its text
    QString browseTip;
  };
  explicit PathRow(const Words& words, QWidget* parent = nullptr);

  QString path() const;
  void setPath(const QString& path);  ///< emits no signal

 Q_SIGNALS:
  void edited(const QString& path);  ///< typed or cleared by the person
  void browseRequested();

 private:
  QLineEdit* m_field;
};

}  // namespace headlight
