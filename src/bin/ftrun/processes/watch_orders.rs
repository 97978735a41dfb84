//! What people who watch a job order: describe a rank, kill ranks, choose a view; and what
//! processes tell of their ranks for that.

use super::watch::{Asked, Row, Watch};
use super::work::{Work, tell};
use ftmpi_base::Member;
use ftmpi_base::random::Random;
use ftmpi_machine::schedule::When;
use ftmpi_view::Order;
use ftmpi_wireup::{Glance, Told};
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
                "kill-process" => self.strike_process(rest),
                "region" => self.kill_region(rest),
                "ranks" => Ok(self.table()),
                "view" => self.choose_view(rest),
                "pairs" => self.watch.as_mut().map_or_else(|| Ok(String::new()), Watch::pairs),
                _ => Err(format!(
                    "`{word}`: use info RANK, kill RANK, kill-process NUMBER, region X0 Y0 X1 Y1 \
                     PERCENT, view NAME, ranks or pairs"
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
        let node = self.at_node(seat);
        let Some(watch) = &mut self.watch else { return };
        let Some(incarnation) = self.seats[seat].as_ref().map(|life| life.incarnation) else {
            let last = watch.seats[seat].life;
            return order.answer(Ok(format!("rank {seat}{node}: life {last}, not alive")));
        };
        watch.questions += 1;
        let (question, member) = (watch.questions, Member { seat, incarnation });
        let Some(process) = self.carrier_mut(seat).filter(|it| it.connection.is_some()) else {
            let words = format!("rank {seat}{node}: life {incarnation}; has not called MPI");
            return order.answer(Ok(words));
        };
        tell(process, &Told::Describe { question, member });
        if let Some(watch) = &mut self.watch {
            watch.asked.push(Asked { number: question, member, order });
        }
    }

    /// What a process has answered to a question of this number.
    pub(super) fn hear_description(&mut self, from: Member, question: u64, words: &str) {
        let subject = self.watch.as_ref().and_then(|watch| watch.subject_of(question));
        let Some(member) = subject.filter(|member| self.is_carried_by(*member, from)) else {
            return;
        };
        let Member { seat, incarnation } = member;
        let Some(life) = self.life(seat, incarnation) else { return };
        let age = life.started.elapsed().as_secs_f64();
        let node = self.at_node(seat);
        let words = format!("rank {seat}{node}: life {incarnation}, {age:.1} s old, {words}");
        if let Some(watch) = &mut self.watch {
            watch.described(question, &words);
        }
    }

    fn at_node(&self, seat: usize) -> String {
        let machine = self.machine.as_ref();
        machine.map_or(String::new(), |it| format!(" at node {}", it.node_name_of(seat)))
    }

    /// What a process shows of its ranks.
    pub(super) fn hear_glances(&mut self, from: Member, glances: Vec<(Member, Glance)>) {
        for (member, glance) in glances {
            if self.is_carried_by(member, from)
                && let Some(watch) = &mut self.watch
            {
                watch.note(member, glance);
            }
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
        self.strike(seat, None, self.order_by_hand());
        Ok(())
    }

    /// What `--kill` would say of a death that somebody orders now.
    fn order_by_hand(&self) -> String {
        let after = Duration::from_millis(self.started.elapsed().as_millis() as u64);
        format!("{} by hand", When::Time { after, is_outside: false })
    }

    /// Kills a process that several ranks share, with all of them.
    fn strike_process(&mut self, text: &str) -> Result<String, String> {
        let Some(shared) = &self.shared else {
            return Err("each rank has a process of its own: use kill RANK".into());
        };
        let count = shared.division.processes();
        let number = text.trim().parse().ok().filter(|number| *number < count);
        let number: usize = number
            .ok_or_else(|| format!("`{text}` is no process: these are 0 to {}", count - 1))?;
        let Some(process) = shared.processes[number].as_ref().filter(|it| it.ended.is_none())
        else {
            return Err(format!("process {number}: it is not alive"));
        };
        let seats = shared.division.seats_of(number);
        let has_departed =
            |seat: &usize| self.seats[*seat].as_ref().is_some_and(|life| life.has_departed);
        if let Some(seat) = seats.clone().find(has_departed) {
            return Err(format!("process {number}: rank {seat} has finalized MPI"));
        }
        process.kill();
        let order = self.order_by_hand();
        let victims = self.seats[seats].iter_mut().flatten();
        let victims = victims.map(|life| _ = life.order.get_or_insert_with(|| order.clone()));
        match victims.count() {
            1 => Ok(format!("process {number} will be killed with its only rank")),
            several => Ok(format!("process {number} will be killed with its {several} ranks")),
        }
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
        let count = self.seats.len();
        let row = |seat: usize| {
            let (life, host) = self.seats[seat].as_ref().map(|it| (it.incarnation, &it.host))?;
            let host = host.clone();
            let at = self.carrier_mut(seat).and_then(|it| it.at.as_ref());
            Some(Row { life, process: at.map_or(0, |at| at.pid), host })
        };
        let lives: Vec<_> = (0..count).map(row).collect();
        let nodes = self.berths_of(0..count).into_iter().map(|berth| berth.node);
        let nodes: Vec<_> = nodes.collect();
        self.watch.as_mut().map_or_else(String::new, |watch| watch.table(&lives, &nodes))
    }

    /// Shows the job to who looks at it, and asks its ranks what they do.
    pub(super) fn show(&mut self, now: Instant) {
        self.obey_people();
        let Some((watch, around)) = self.seen() else { return };
        let Some(asks) = watch.look(now, around) else { return };
        let living = self.carriers_by_seat().filter(|(_, life)| life.ended.is_none());
        living.for_each(|(_, life)| tell(life, &Told::Glance(asks)));
    }
}
