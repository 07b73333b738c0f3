// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The choice of a sweep: settings to vary in the current experiment, a paper's sweep, or a file;
// and its seeds.

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
  /// A ready-made sweep by name ("ibit-figure4"); empty: the current experiment varies.
  void chooseReady(const QString& name);
  /// A sweep file, or the folder of a sweep; false if it cannot be read.
  bool openFile(const QString& path);
  void setSettings(const std::vector<SweepWish::Setting>& settings);
  void setSeeds(const QString& text);
  /// The description of the sweep, once its plan is read.
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
