// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which sweep: the present experiment with what varies, a ready one of the papers, or a file; with
// its seeds.

#include <QWidget>

#include <vector>

#include "ui/runs/SweepWish.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace headlight {

class SweepSettingRow;

class SweepSettings : public QWidget {
  Q_OBJECT
 public:
  explicit SweepSettings(const Experiment& present, QWidget* parent = nullptr);

  SweepWish wish() const;
  bool isEmpty() const;  ///< nothing is chosen yet
  /// A ready sweep by its name ("ibit-figure4"); empty: the present experiment varies.
  void chooseReady(const QString& name);
  /// A sweep file, or the folder of a sweep; false where it cannot be read.
  bool openFile(const QString& path);
  void setSettings(const std::vector<SweepWish::Setting>& settings);
  void setSeeds(const QString& text);
  /// What the sweep is about, once its plan is read.
  void setAbout(const QString& text);

 Q_SIGNALS:
  void changed();
  void failed(const QString& text);

 private:
  void fillSources();
  void chooseSource(int index);
  void askForFile();
  void takeText(const QString& text, const QString& name, const QString& folder);
  SweepSettingRow* addRow();
  void showKind();

  Experiment m_present;
  SweepWish m_file;  ///< its text, name and folder
  QComboBox* m_source;
  QLabel* m_about;
  QCheckBox *m_model, *m_data;
  QVBoxLayout* m_rowLayout;
  std::vector<SweepSettingRow*> m_rows;
  QLineEdit* m_seeds;
};

}  // namespace headlight
