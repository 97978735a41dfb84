//! What people who watch a job order: describe a rank, kill ranks, choose a view.

use super::watch::{Asked, Row, Watch};
use super::work::{Work, tell};
use ftmpi_base::Member;
use ftmpi_base::random::Random;
use ftmpi_machine::schedule::When;
use ftmpi_view::Order;
use ftmpi_wireup::Told;
use std::time::{Duration, Instant};

impl Work {
    /// Does what people have ordered since they were last asked.
    pub(super) fn obey_people(&mut self) {
        while let Some(order) = self.watch.as_ref().and_then(|it| it.feed.order(Duration::ZERO)) {
            let words = order.words.clone();
            let (word, rest) = words.split_once(' ').unwrap_or((&words, ""));
            let answer = match word {
                "info" => match self.seat(rest) {
                    Ok(seat) => {
                        self.describe(seat, order);
                        continue;
                    }
                    Err(why) => Err(why),
                },
                "kill" => self.seat(rest).and_then(|seat| {
                    let struck = self.strike_by_hand(seat);
                    struck.map(|()| format!("rank {seat} will be killed"))
                }),
                "region" => self.kill_region(rest),
                "ranks" => Ok(self.table()),
                "view" => self.choose_view(rest),
                "pairs" => self.watch.as_mut().map_or_else(|| Ok(String::new()), Watch::pairs),
                _ => Err(format!(
                    "`{word}`: use info RANK, kill RANK, region X0 Y0 X1 Y1 PERCENT, view NAME, \
                     ranks or pairs"
                )),
            };
            order.answer(answer);
        }
    }

    fn seat(&self, text: &str) -> Result<usize, String> {
        let count = self.seats.len();
        let seat = text.trim().parse().ok().filter(|&seat| seat < count);
        seat.ok_or_else(|| format!("`{text}` is not a rank: ranks are 0 to {}", count - 1))
    }

    fn choose_view(&mut self, name: &str) -> Result<String, String> {
        let (view, name) = ftmpi_watch::choose(name)?;
        if let Some(watch) = &mut self.watch {
            watch.view = view;
            watch.set_scene();
        }
        Ok(name.to_string())
    }

    /// Says what a rank does: its process has to be asked.
    fn describe(&mut self, seat: usize, order: Order) {
        let Some(watch) = &mut self.watch else { return };
        let Some(life) = &self.seats[seat] else {
            let last = watch.seats[seat].life;
            return order.answer(Ok(format!("rank {seat}: life {last}, not alive")));
        };
        let member = Member { seat, incarnation: life.incarnation };
        if life.connection.is_none() {
            let words = format!("rank {seat}: life {}; has not called MPI", life.incarnation);
            return order.answer(Ok(words));
        }
        watch.questions += 1;
        let number = watch.questions;
        watch.asked.push(Asked { number, member, order });
        tell(life, &Told::Describe(number));
    }

    /// What a process has answered to a question of this number.
    pub(super) fn hear_description(&mut self, from: Member, question: u64, words: &str) {
        let Some(life) = self.seats[from.seat].as_ref() else { return };
        let (seat, age) = (from.seat, life.started.elapsed().as_secs_f64());
        let words = format!("rank {seat}: life {}, {age:.1} s old, {words}", from.incarnation);
        if let Some(watch) = &mut self.watch {
            watch.described(from, question, &words);
        }
    }

    fn strike_by_hand(&mut self, seat: usize) -> Result<(), String> {
        let flaw = match &self.seats[seat] {
            None => Some("it is not alive"),
            Some(life) if life.has_departed => Some("it has finalized MPI"),
            Some(life) if life.ended.is_some() || life.order.is_some() => {
                Some("it is about to die")
            }
            Some(_) => None,
        };
        if let Some(why) = flaw {
            return Err(format!("rank {seat}: {why}"));
        }
        let after = Duration::from_millis(self.started.elapsed().as_millis() as u64);
        let when = When::Time { after, is_outside: false };
        self.strike(seat, None, format!("{when} by hand"));
        Ok(())
    }

    /// Kills a percentage of the ranks that are drawn in a region.
    fn kill_region(&mut self, rest: &str) -> Result<String, String> {
        let numbers: Option<Vec<f64>> =
            rest.split_whitespace().map(|word| word.parse().ok()).collect();
        let Some(&[x0, y0, x1, y1, percent]) = numbers.as_deref() else {
            return Err("expected region X0 Y0 X1 Y1 PERCENT".into());
        };
        if !(0.0..=100.0).contains(&percent) {
            return Err(format!("{percent} percent: use 0 to 100"));
        }
        let inside = self.watch.as_ref().map(|watch| watch.inside([x0, y0, x1, y1]));
        let mut victims = inside.unwrap_or_default();
        victims.retain(|seat| self.seats[*seat].as_ref().is_some_and(|life| !life.has_departed));
        let wanted = (victims.len() as f64 * percent / 100.0).round() as usize;
        let mut random = Random::new(self.started.elapsed().as_nanos() as u64);
        for place in 0..wanted {
            let other = place + random.below((victims.len() - place) as u64) as usize;
            victims.swap(place, other);
        }
        let killed = victims[..wanted].iter().filter(|seat| self.strike_by_hand(**seat).is_ok());
        match killed.count() {
            1 => Ok("1 rank will be killed".into()),
            count => Ok(format!("{count} ranks will be killed")),
        }
    }

    fn table(&mut self) -> String {
        let lives = self.seats.iter().map(|life| {
            let life = life.as_ref()?;
            let process = life.at.as_ref().map_or(0, |at| at.pid);
            Some(Row { life: life.incarnation, process, host: life.host.clone() })
        });
        let lives: Vec<_> = lives.collect();
        self.watch.as_mut().map_or_else(String::new, |watch| watch.table(&lives))
    }

    /// Shows the job to who looks at it, and asks its ranks what they do.
    pub(super) fn show(&mut self, now: Instant) {
        self.obey_people();
        let Some((watch, around)) = self.seen() else { return };
        let Some(asks) = watch.look(now, around) else { return };
        let living = self.seats.iter().flatten().filter(|life| life.ended.is_none());
        living.for_each(|life| tell(life, &Told::Glance(asks)));
    }
}
